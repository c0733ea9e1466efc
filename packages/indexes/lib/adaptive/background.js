'use strict'

/** @typedef {{ refresh: (options: { background: boolean }) => Promise<void> }} Job it never fails */

/** Updates of indexes that nobody waits for: a few at a time. */
class Background {
  #most
  /** @type {Set<Job>} */
  #waiting = new Set()
  /** job → its end @type {Map<Job, Promise<void>>} */
  #running = new Map()

  /** @param {number} most that run at once */
  constructor (most) {
    this.#most = most
  }

  /** @param {Job} job if it runs it is done once more after that */
  add (job) {
    this.#waiting.add(job)
    this.#next()
  }

  /** @param {Job} job */
  remove (job) { this.#waiting.delete(job) }

  /** Nothing is left to do. */
  async idle () {
    while (this.#running.size > 0) await Promise.all(this.#running.values())
  }

  #next () {
    for (const job of this.#waiting) {
      if (this.#running.size >= this.#most) return
      if (this.#running.has(job)) continue
      this.#waiting.delete(job)
      this.#running.set(job, this.#run(job))
    }
  }

  /** @param {Job} job */
  async #run (job) {
    await job.refresh({ background: true })
    this.#running.delete(job)
    this.#next()
  }
}

module.exports = { Background }
