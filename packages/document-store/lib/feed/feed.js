'use strict'

/** Rows that may wait for one follower; one that falls behind goes on reading from the store. */
const MAX_WAITING = 2048

/** UTF-16 units of documents, of more than one commit, that may wait with them. */
const MAX_WEIGHT = 4 * 1024 * 1024

/** Followers that are woken in one go: each has some 100 µs to do, and nothing else runs meanwhile. */
const AT_ONCE = 64

/**
 * A change of a document, as a commit tells it.
 *
 * @typedef {object} Row
 * @property {number} seq
 * @property {string} id
 * @property {boolean} deleted
 * @property {string[]} leaves encoded, the winner first
 * @property {string} record of the document, as stored
 * @property {string[]} [told] whom it concerns, in a database with access by document: principals
 */

/**
 * Tells followers what each commit changed. Rows are shared by all of them; a follower holds a
 * list of pages and costs nothing while it waits.
 */
class Feed {
  /** @type {Set<Mailbox>} */
  #followers = new Set()
  /** The followers that have rows and sleep still. @type {Set<Mailbox>} */
  #asleep = new Set()
  #waking = false

  /** Followers of what members may see. @type {Map<string, Set<Mailbox>>} */
  #byPrincipal = new Map()

  /** @param {Row[]} rows as made by a commit */
  publish (rows) {
    if (this.#byPrincipal.size > 0) this.#tellMembers(rows)
    if (this.#followers.size === 0) return
    const weight = rows.reduce((sum, { record }) => sum + record.length, 0)
    for (const follower of this.#followers) {
      follower.deliver(rows, weight)
      this.#asleep.add(follower)
    }
    if (!this.#waking) this.#wakeSome()
  }

  /** @param {Row[]} rows */
  #tellMembers (rows) {
    for (const principal of new Set(rows.flatMap(({ told }) => told ?? []))) {
      for (const follower of this.#byPrincipal.get(principal) ?? []) {
        follower.deliver(rows, 0)
        this.#asleep.add(follower)
      }
    }
    if (!this.#waking) this.#wakeSome()
  }

  #wakeSome () {
    let left = AT_ONCE
    for (const follower of this.#asleep) {
      if (left-- === 0) break
      this.#asleep.delete(follower)
      follower.wake()
    }
    this.#waking = this.#asleep.size > 0
    if (this.#waking) setImmediate(() => this.#wakeSome())
  }

  get size () { return this.#followers.size }

  /** @param {Mailbox} follower */
  add (follower) { this.#followers.add(follower) }

  /** @param {Mailbox} follower */
  remove (follower) {
    this.#followers.delete(follower)
    this.#asleep.delete(follower)
  }

  /** Adds one that is told what concerns some principals. @param {Mailbox} follower @param {Iterable<string>} principals */
  addFor (follower, principals) {
    for (const principal of principals) {
      const followers = this.#byPrincipal.get(principal) ?? new Set()
      this.#byPrincipal.set(principal, followers.add(follower))
    }
  }

  /** @param {Mailbox} follower @param {Iterable<string>} principals */
  removeFor (follower, principals) {
    for (const principal of principals) {
      const followers = this.#byPrincipal.get(principal)
      followers?.delete(follower)
      if (followers?.size === 0) this.#byPrincipal.delete(principal)
    }
    this.#asleep.delete(follower)
  }

  /** Ends all followers. */
  close () {
    const ofMembers = [...this.#byPrincipal.values()].flatMap(followers => [...followers])
    for (const follower of [...this.#followers, ...ofMembers]) follower.end()
    this.#byPrincipal.clear()
    this.#followers.clear()
    this.#asleep.clear()
  }
}

/** One follower's waiting pages. */
class Mailbox {
  /** @type {Row[][]} */
  #pages = []
  #waiting = 0
  #weight = 0
  /** @type {(() => void) | null} */
  #woken = null
  ended = false
  /** True when rows were dropped, so that the store must be read. */
  behind = true

  /** @param {boolean} onlyTold keeps no rows: every commit is read from the store */
  constructor (onlyTold) {
    this.onlyTold = onlyTold
  }

  /** Until it is woken it sleeps. @param {Row[]} rows @param {number} weight UTF-16 units of the rows' documents */
  deliver (rows, weight) {
    if (this.behind) return
    this.#waiting += rows.length
    this.#weight += weight
    if (this.onlyTold || this.#isTooMuch()) {
      this.#empty()
      this.behind = true
    } else this.#pages.push(rows)
  }

  /** The rows of one commit may wait whatever they weigh: they are there for all followers. */
  #isTooMuch () {
    return this.#waiting > MAX_WAITING || (this.#pages.length > 0 && this.#weight > MAX_WEIGHT)
  }

  #empty () {
    const pages = this.#pages
    this.#pages = []
    this.#waiting = 0
    this.#weight = 0
    return pages
  }

  wake () {
    this.#woken?.()
    this.#woken = null
  }

  /** From now on rows are kept. */
  catchUp () {
    this.behind = false
    this.#empty()
  }

  /** All rows that came since the last call. */
  take () {
    const pages = this.#empty()
    return pages.length === 1 ? pages[0] : pages.flat()
  }

  get empty () { return this.#pages.length === 0 }

  end () {
    this.ended = true
    this.wake()
  }

  /** Resolves at the next delivery or the end. @returns {Promise<void>} */
  wait () {
    return new Promise((resolve) => { this.#woken = resolve })
  }
}

module.exports = { Feed, Mailbox }
