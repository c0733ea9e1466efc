'use strict'

const { Session } = require('node:inspector/promises')

/** CPU time, all threads, and profiles of the process it is in. */
class OwnMeter {
  #session = null
  #beside

  /** @param {() => number} [beside] CPU time of a server that works for it, in µs */
  constructor (beside = () => 0) {
    this.#beside = beside
  }

  /** @returns {Promise<number>} µs, user and system */
  async cpu () {
    const { user, system } = process.cpuUsage()
    return user + system + this.#beside()
  }

  /** Collects garbage, so that what came before is not charged to what is timed. */
  async collect () {
    global.gc()
  }

  async profile () {
    this.#session = new Session()
    this.#session.connect()
    await this.#session.post('Profiler.enable')
    await this.#session.post('Profiler.setSamplingInterval', { interval: 200 })
    await this.#session.post('Profiler.start')
  }

  async profiled () {
    const { profile } = await this.#session.post('Profiler.stop')
    this.#session.disconnect()
    return profile
  }
}

module.exports = { OwnMeter }
