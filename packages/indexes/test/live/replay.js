'use strict'

const assert = require('node:assert/strict')
const { once } = require('node:events')
const { EventEmitter } = require('node:events')
const { liveFind } = require('../..')

/** How long the events of a commit may take to come before the test fails, milliseconds. */
const LONG = 20_000

/** A client of a live query: it keeps the result by its events alone. */
class Replay {
  /** @type {Map<string, any>} */
  docs = new Map()
  bookmark
  isReady = false
  #news = new EventEmitter()
  #end = new AbortController()
  #gate = Promise.resolve()
  #open = () => {}
  #isExact = true
  events = 0

  constructor (mango, database, selector, options = {}) {
    Object.assign(this, { mango, database, selector, options })
  }

  /** Begins, or goes on from the last bookmark. @param {{ known?: boolean }} [options] known: with the ids that it has */
  async begin ({ known = true } = {}) {
    const isResumed = this.bookmark !== undefined
    this.#isExact = !isResumed || known
    this.isReady = false
    this.#end = new AbortController()
    const body = { selector: this.selector, ...(isResumed && { bookmark: this.bookmark, ...(known && { known: Object.fromEntries([...this.docs].map(([id, { _rev }]) => [id, _rev])) }) }) }
    const live = await liveFind(this.mango, this.database, body, { ...this.options, signal: this.#end.signal })
    this.running = this.#read(live)
    this.running.catch(() => {})
  }

  async #read (live) {
    try {
      for await (const page of live) {
        for (const { text } of page) this.apply(JSON.parse(text))
        this.#news.emit('page')
        await this.#gate
      }
    } catch (error) {
      this.error = error
      this.#news.emit('page')
      throw error
    }
  }

  apply ({ type, id, doc, bookmark }) {
    assert.equal(typeof bookmark, 'string')
    this.events++
    this.bookmark = bookmark
    const wasIn = this.docs.has(id)
    if (type === 'reset') this.docs.clear()
    else if (type === 'ready') this.isReady = this.#isExact = true
    else if (type === 'leave') {
      assert.ok(wasIn || !this.#isExact, `${id} left, and was not in`)
      this.docs.delete(id)
    } else {
      assert.equal(doc._id, id)
      if (this.#isExact) assert.equal(wasIn, type === 'change', `${type} of ${id}`)
      if (this.#isExact && wasIn) assert.notEqual(this.docs.get(id)._rev, doc._rev, `${id} was told twice`)
      this.docs.set(id, doc)
    }
  }

  /** Reads no further until it goes on. */
  pause () {
    this.goOn()
    this.#gate = new Promise(resolve => { this.#open = resolve })
  }

  goOn () { this.#open() }

  /** Waits until the result is this one. @param {any[]} docs */
  async shows (docs) {
    const expected = docs.map(doc => `${doc._id} ${doc._rev}`).sort().join('\n')
    const signal = AbortSignal.timeout(LONG)
    while (!this.isReady || this.#shown() !== expected) {
      if (this.error !== undefined) throw this.error
      await once(this.#news, 'page', { signal }).catch(() => assert.equal(this.#shown(), expected, JSON.stringify(this.selector)))
    }
  }

  #shown () { return [...this.docs.values()].map(doc => `${doc._id} ${doc._rev}`).sort().join('\n') }

  async end () {
    this.#end.abort()
    this.goOn()
    await this.running
  }
}

module.exports = { Replay }
