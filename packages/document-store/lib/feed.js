'use strict'

/** Rows that may wait for one follower; one that falls behind goes on reading from the store. */
const MAX_WAITING = 2048

/**
 * Tells followers what each commit changed. Rows are shared by all of them; a follower holds a
 * list of pages and costs nothing while it waits.
 */
class Feed {
  #followers = new Set()

  /** @param {Array<object>} rows as made by a commit */
  publish (rows) {
    for (const follower of this.#followers) follower.deliver(rows)
  }

  get size () { return this.#followers.size }

  add (follower) { this.#followers.add(follower) }
  remove (follower) { this.#followers.delete(follower) }

  /** Ends all followers. */
  close () {
    for (const follower of [...this.#followers]) follower.end()
    this.#followers.clear()
  }
}

/** One follower's waiting pages. */
class Mailbox {
  #pages = []
  #waiting = 0
  #wake = null
  ended = false
  /** True when rows were dropped, so that the store must be read. */
  behind = true

  /** @param {boolean} onlyTold keeps no rows: every commit is read from the store */
  constructor (onlyTold) {
    this.onlyTold = onlyTold
  }

  deliver (rows) {
    if (this.behind) return this.#notify()
    this.#waiting += rows.length
    if (this.onlyTold || this.#waiting > MAX_WAITING) this.#overflow()
    else this.#pages.push(rows)
    this.#notify()
  }

  #overflow () {
    this.#pages = []
    this.#waiting = 0
    this.behind = true
  }

  #notify () {
    this.#wake?.()
    this.#wake = null
  }

  /** From now on rows are kept. */
  catchUp () {
    this.behind = false
    this.#pages = []
    this.#waiting = 0
  }

  /** All rows that came since the last call. */
  take () {
    const pages = this.#pages
    this.#pages = []
    this.#waiting = 0
    return pages.length === 1 ? pages[0] : pages.flat()
  }

  get empty () { return this.#pages.length === 0 }

  end () {
    this.ended = true
    this.#notify()
  }

  /** Resolves at the next delivery or the end. */
  wait () {
    return new Promise((resolve) => { this.#wake = resolve })
  }
}

module.exports = { Feed, Mailbox }
