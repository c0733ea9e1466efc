'use strict'

const assert = require('node:assert/strict')
const { EventEmitter, once } = require('node:events')

/** A change as a feed's client sees it. @typedef {{ seq: string, id: string, changes: Array<{ rev: string }>, deleted?: boolean }} Change */

const numberOf = seq => parseInt(seq, 10)

/** Follows a database over many connections, each going on where the one before it broke off. */
class Follower {
  #open
  #kind
  #since = '0'
  #stopped = new AbortController()
  #progress = new EventEmitter()
  /** seq number → change @type {Map<number, Change>} */
  seen = new Map()
  connections = 0

  /**
   * @param {(path: string, headers: Record<string, string>, signal: AbortSignal) => Promise<Response>} open waits for a server, and rejects when it goes
   * @param {'continuous' | 'longpoll' | 'eventsource'} kind
   */
  constructor (open, kind) {
    this.#open = open
    this.#kind = kind
  }

  get kind () { return this.#kind }

  stop () { this.#stopped.abort() }

  /** Follows until it is stopped. */
  async run () {
    while (!this.#stopped.signal.aborted) {
      try {
        await this.#connection()
      } catch (error) {
        if (error instanceof assert.AssertionError) throw error
      }
    }
  }

  async #connection () {
    const eventsource = this.#kind === 'eventsource'
    const query = `_changes?feed=${this.#kind}&heartbeat=1000${eventsource ? '' : `&since=${this.#since}`}`
    const headers = eventsource && this.#since !== '0' ? { 'Last-Event-ID': this.#since } : {}
    const response = await this.#open(query, headers, this.#stopped.signal)
    this.connections++
    if (this.#kind === 'longpoll') return this.#longpoll(await response.json())
    for await (const line of lines(response.body)) {
      const text = eventsource ? line.replace(/^data: /, '') : line
      if (text.startsWith('{"seq"')) this.#take(JSON.parse(text))
    }
  }

  #longpoll ({ results, last_seq: lastSeq }) {
    for (const change of results) this.#take(change)
    this.#goOnAfter(lastSeq)
  }

  /** @param {Change} change */
  #take (change) {
    const number = numberOf(change.seq)
    assert.ok(number > numberOf(this.#since), `${this.#kind}: ${change.seq} came after ${this.#since}`)
    assert.ok(!this.seen.has(number), `${this.#kind}: ${change.seq} came twice`)
    this.seen.set(number, change)
    this.#goOnAfter(change.seq)
  }

  #goOnAfter (seq) {
    this.#since = seq
    this.#progress.emit('seq')
  }

  /** Waits until it has come as far. @param {string} seq */
  async reached (seq) {
    while (numberOf(this.#since) < numberOf(seq)) await once(this.#progress, 'seq')
  }

  /** @param {Change[]} changes all of the database, in the end */
  verify (changes) {
    for (const change of changes) {
      assert.deepEqual(this.seen.get(numberOf(change.seq)), change, `${this.#kind}: ${change.id} at ${change.seq} was not told, or otherwise`)
    }
  }
}

async function * lines (body) {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of body) {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = parts.pop() ?? ''
    yield * parts
  }
}

module.exports = { Follower }
