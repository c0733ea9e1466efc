'use strict'

const { Joined } = require('./joined')

/** Notices that wait for a slow iteration, before those that come are joined. */
const MOST_WAITING = 1000

/** @typedef {{ commit: number, changes: { object: object, keys: unknown[] }[] }} Notice */

/** A watch of an object: a listener's, or one that is iterated over. */
class Watch {
  #listener
  #onClose
  #onWait
  #closed = false
  /** @type {unknown} */
  #reason
  /** @type {Notice[]} */
  #waiting = []
  /** The ones behind them. @type {Joined | undefined} */
  #joined
  /** @type {{ resolve: (result: IteratorResult<Notice, undefined>) => void, reject: (reason: unknown) => void }[]} */
  #callers = []
  #forget = () => {}

  /**
   * @param {object} object
   * @param {import('./reach').Reach | undefined} reach what it leads to, where that is watched, too
   * @param {{ listener?: (notice: Notice) => void, signal?: AbortSignal, onClose: (watch: Watch) => void, onWait: (isWaiting: boolean) => void }} options
   */
  constructor (object, reach, { listener, signal, onClose, onWait }) {
    this.object = object
    this.reach = reach
    this.#listener = listener
    this.#onClose = onClose
    this.#onWait = onWait
    if (signal === undefined) return
    const abort = () => this.#end(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    this.#forget = () => signal.removeEventListener('abort', abort)
  }

  /** @param {Notice} notice */
  give (notice) {
    if (this.#closed) return
    if (this.#listener !== undefined) return this.#listener(notice)
    const caller = this.#callers.shift()
    if (caller === undefined) this.#keep(notice)
    else this.#answer(() => caller.resolve({ value: notice, done: false }))
  }

  /** @param {Notice} notice */
  #keep (notice) {
    if (this.#joined === undefined && this.#waiting.length < MOST_WAITING) this.#waiting.push(notice)
    else (this.#joined ??= new Joined()).add(notice)
  }

  /** @returns {Notice | undefined} the next that waits */
  #take () {
    if (this.#waiting.length > 0) return this.#waiting.shift()
    const notice = this.#joined?.notice
    this.#joined = undefined
    return notice
  }

  /** @param {() => void} answer */
  #answer (answer) {
    if (this.#callers.length === 0) this.#onWait(false)
    answer()
  }

  /** Ends it: nothing is told any more. */
  close () {
    this.#end(undefined)
  }

  /** @param {unknown} reason undefined where nothing was aborted */
  #end (reason) {
    if (this.#closed) return
    this.#closed = true
    this.#reason = reason
    this.#forget()
    this.#onClose(this)
    if (this.#callers.length > 0) this.#onWait(false)
    for (const caller of this.#callers.splice(0)) this.next().then(caller.resolve, caller.reject)
  }

  /** @returns {Promise<IteratorResult<Notice, undefined>>} */
  async next () {
    const notice = this.#take()
    if (notice !== undefined) return { value: notice, done: false }
    if (this.#closed) {
      const reason = this.#reason
      this.#reason = undefined
      if (reason !== undefined) throw reason
      return { value: undefined, done: true }
    }
    if (this.#callers.length === 0) this.#onWait(true)
    return new Promise((resolve, reject) => { this.#callers.push({ resolve, reject }) })
  }

  /** @returns {Promise<IteratorResult<Notice, undefined>>} */
  async return () {
    this.#waiting = []
    this.#joined = undefined
    this.close()
    return { value: undefined, done: true }
  }

  [Symbol.asyncIterator] () { return this }
}

module.exports = { Watch }
