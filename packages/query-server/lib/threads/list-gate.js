'use strict'

const { FairQueue } = require('./fair-queue')

/** Milliseconds that a list function may wait for its client while others wait for its thread. */
const LONGEST_WAIT = 1000

/**
 * Lets in as many list functions as there may be threads. Each keeps a thread for as long as its client
 * takes to read, so one that finds no room ends the one that has waited for its client the longest.
 */
class ListGate {
  /** @type {FairQueue<{ owner: string, enter: () => void }>} */
  #queue = new FairQueue()
  #inside = 0
  #most
  #threads
  /** @type {NodeJS.Timeout | undefined} */
  #timer

  /**
   * @param {() => number} most list functions at once
   * @param {() => Iterable<import('./thread').Thread>} threads
   */
  constructor (most, threads) {
    this.#most = most
    this.#threads = threads
  }

  /**
   * @template T
   * @param {string} owner whose function it is; owners take turns
   * @param {() => Promise<T>} run
   * @returns {Promise<T>}
   */
  async pass (owner, run) {
    if (this.#inside >= this.#most()) await this.#wait(owner)
    this.#inside++
    try {
      return await run()
    } finally {
      this.#inside--
      this.#queue.take(true)?.enter()
    }
  }

  /** @param {string} owner */
  #wait (owner) {
    return /** @type {Promise<void>} */ (new Promise(resolve => {
      this.#queue.push({ owner, enter: resolve })
      this.#makeRoom()
    }))
  }

  #makeRoom () {
    if (this.#timer !== undefined || this.#queue.size === 0) return
    const since = performance.now() - LONGEST_WAIT
    const waiting = [...this.#threads()].filter(({ waitingSince }) => waitingSince > 0)
    const longest = waiting.sort((a, b) => a.waitingSince - b.waitingSince)[0]
    if (longest !== undefined && longest.waitingSince < since) longest.interrupt()
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.#makeRoom()
    }, LONGEST_WAIT / 10)
  }

  /** Lets all who wait come to a pool that is closed. */
  close () {
    clearTimeout(this.#timer)
    for (let next = this.#queue.take(true); next !== undefined; next = this.#queue.take(true)) next.enter()
  }
}

module.exports = { ListGate }
