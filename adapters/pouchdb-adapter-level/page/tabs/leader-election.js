'use strict'

const { answerQuestion } = require('./answer-question')
const { toError } = require('./plain-error')

/**
 * @typedef {{ id: string, client: string, options: Record<string, any>, method: string, args: any[], again?: boolean }} Question to
 *   the tab that leads; `again`: the one that led before may have answered it, and was closed before it told so
 * @typedef {{ question: Question, resolve: (result: any) => void, reject: (error: unknown) => void, onRow?: (row: any) => void }} Asked
 */

/** Questions that a tab remembers having heard: one that just begins to lead may hear one twice. */
const HEARD = 10_000

/** @type {Map<string, LeaderElection>} */
const elections = new Map()

/**
 * Elects who leads a database: the tab or worker that holds its Web Lock has the store and leads; the others ask it by a
 * BroadcastChannel. A tab that ends, in whatever way, gives its lock to one that waits for it, and what nobody has answered is
 * asked again.
 */
class LeaderElection {
  #location
  #id = crypto.randomUUID()
  #channel
  #users = 0
  #count = 0
  /** @type {Map<string, Asked>} */
  #asked = new Map()
  /** Instances here that stand for those in other tabs. @type {Map<string, any>} */
  #instances = new Map()
  /** Feeds for other tabs. @type {Map<string, { cancel: () => void }>} */
  #feeds = new Map()
  #heard = new Set()
  #ending = new AbortController()
  /** @type {(value?: unknown) => void} */
  #release = () => {}
  #isLeading = false
  #hasEnded = false
  /** @type {Promise<unknown>} */
  #held = Promise.resolve()
  /** @type {(client: string, options: Record<string, any>) => any} */
  #open
  /** @type {Set<() => void>} */
  #onDestroyed = new Set()

  /** @param {string} location @param {(client: string, options: Record<string, any>) => any} open makes an instance of PouchDB here */
  constructor (location, open) {
    this.#location = location
    this.#open = open
    this.#channel = new BroadcastChannel(location)
    this.#channel.onmessage = ({ data }) => this.#hear(data)
    this.decided = this.#decide()
  }

  /** @param {string} location @param {(client: string, options: Record<string, any>) => any} open */
  static of (location, open) {
    const election = elections.get(location) ?? new LeaderElection(location, open)
    elections.set(location, election)
    election.#users++
    return election
  }

  get isLeading () { return this.#isLeading }

  /** @param {() => void} listener */
  onDestroyed (listener) { this.#onDestroyed.add(listener) }

  async #decide () {
    if (navigator.locks === undefined) throw new Error('pouchdb-adapter-level needs Web Locks, which pages have on https and on localhost')
    this.#isLeading = await this.#requestLock({ ifAvailable: true })
    if (!this.#isLeading) this.#requestLock({ signal: this.#ending.signal }).then(() => this.#lead(), () => {})
  }

  /** @param {LockOptions} options @returns {Promise<boolean>} whether it was given */
  #requestLock (options) {
    return new Promise((resolve, reject) => {
      const held = navigator.locks.request(this.#location, options, lock => {
        resolve(lock !== null)
        if (lock !== null) return new Promise(resolve => { this.#release = resolve })
      })
      this.#held = held.catch(reject)
    })
  }

  /** Takes over from a tab that has ended. */
  #lead () {
    this.#isLeading = true
    this.#channel.postMessage({ type: 'leads' })
    this.#askAgain()
  }

  #askAgain () {
    for (const { question } of this.#asked.values()) this.#send({ ...question, again: true })
  }

  /**
   * @param {{ id: string, options: Record<string, any> }} client who asks
   * @param {string} method
   * @param {any[]} args
   * @param {(row: any) => void} [onRow] is told of the rows of a feed
   * @returns {Promise<any> & { cancel: () => void }}
   */
  ask (client, method, args, onRow) {
    const id = `${this.#id}/${++this.#count}`
    const question = { id, client: client.id, options: client.options, method, args }
    const answer = new Promise((resolve, reject) => {
      this.#asked.set(id, { question, resolve, reject, onRow })
      this.#send(question)
    })
    return Object.assign(answer, { cancel: () => this.#cancel(id) })
  }

  /** @param {string} id */
  #cancel (id) {
    if (!this.#asked.delete(id)) return
    if (this.#isLeading) this.#endFeed(id)
    else this.#channel.postMessage({ type: 'cancel', id })
  }

  /** @param {string} id */
  #endFeed (id) {
    this.#feeds.get(id)?.cancel()
    this.#feeds.delete(id)
  }

  /** @param {Question} question */
  #send (question) {
    if (this.#isLeading) this.#answer(question, message => this.#hear(message))
    else this.#channel.postMessage({ type: 'asks', question })
  }

  /** @param {any} message */
  #hear (message) {
    switch (message.type) {
      case 'leads': return this.#askAgain()
      case 'asks': return this.#isLeading && this.#answer(message.question, told => this.#post(told))
      case 'cancel': return this.#endFeed(message.id)
      case 'row': return this.#hearRow(message)
      case 'told': return this.#settle(message)
      case 'leaves': return this.#closeInstance(message.client)
      case 'destroyed': return this.#hearDestroyed()
    }
  }

  /** @param {{ id: string, row: any }} message */
  #hearRow ({ id, row }) {
    const asked = this.#asked.get(id)
    if (asked === undefined) return
    // A feed that is asked for again goes on from here.
    const [options] = asked.question.args
    if (!options.descending) options.since = row.seq
    asked.onRow?.(row)
  }

  /** @param {{ id: string, error?: any, result?: any }} message */
  #settle ({ id, error, result }) {
    const asked = this.#asked.get(id)
    this.#asked.delete(id)
    if (error === undefined) asked?.resolve(result)
    else asked?.reject(toError(error))
  }

  /** @param {Question} question @param {(message: any) => void} tell */
  async #answer (question, tell) {
    const { id, client } = question
    if (this.#heard.has(id)) return
    this.#heard.add(id)
    if (this.#heard.size > HEARD) this.#heard.delete(this.#heard.values().next().value)
    if (!this.#instances.has(client)) this.#instances.set(client, this.#open(client, question.options))
    const told = await answerQuestion(this.#instances.get(client), question, {
      onRow: row => tell({ type: 'row', id, row }),
      onFeed: feed => this.#feeds.set(id, feed)
    })
    this.#feeds.delete(id)
    tell({ type: 'told', id, ...told })
  }

  /** @param {any} message */
  #post (message) {
    if (!this.#hasEnded) this.#channel.postMessage(message)
  }

  /** @param {string} client */
  #closeInstance (client) {
    const instance = this.#instances.get(client)
    this.#instances.delete(client)
    instance?.close()
  }

  /** An instance here is closed. @param {string} client */
  async leave (client) {
    if (this.#isLeading) this.#closeInstance(client)
    else this.#channel.postMessage({ type: 'leaves', client })
    if (--this.#users === 0) await this.#end()
  }

  /** Tells the other tabs that the database is gone. */
  async destroyed () {
    this.#channel.postMessage({ type: 'destroyed' })
    await this.#end()
  }

  #hearDestroyed () {
    for (const { question, resolve, reject } of this.#asked.values()) {
      if (question.method === 'destroy') resolve({ ok: true })
      else reject(new Error('database is destroyed'))
    }
    this.#asked.clear()
    this.#end()
    for (const tell of this.#onDestroyed) tell()
  }

  async #end () {
    if (this.#hasEnded) return
    this.#hasEnded = true
    if (elections.get(this.#location) === this) elections.delete(this.#location)
    this.#ending.abort()
    this.#release()
    await this.#held
    this.#channel.close()
  }
}

module.exports = { LeaderElection }
