'use strict'

/** Updates of indexes that nobody waits for: a few at a time. */
class Background {
  #most
  #waiting = new Set()
  /** job → its end */
  #running = new Map()

  /** @param {number} most that run at once */
  constructor (most) {
    this.#most = most
  }

  /** @param {{ refresh: (options: { background: boolean }) => Promise<void> }} job never fails; where it runs it is done once more after that */
  add (job) {
    this.#waiting.add(job)
    this.#next()
  }

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

  async #run (job) {
    await job.refresh({ background: true })
    this.#running.delete(job)
    this.#next()
  }
}

module.exports = { Background }
