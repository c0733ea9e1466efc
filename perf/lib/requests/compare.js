'use strict'

const { median } = require('../report/statistics')
const { DATABASE, createDatabase } = require('../http/database')

const CONNECTIONS = [1, 10, 50]

/**
 * @typedef {object} Figure of one shape, number of connections and server
 * @property {string} shape
 * @property {string} unit
 * @property {number} connections
 * @property {string} server
 * @property {number | null} cpu µs of the server a unit, median of the rounds; null where it cannot do that
 * @property {number} [p50] ms of a request
 * @property {number} [p99]
 * @property {number} [perSecond] units by the clock, all servers' turns being their own
 * @property {string} [error]
 */

/**
 * Lets servers do the same, turn by turn, so that a busy spell of the machine falls on all of them.
 *
 * @param {Array<{ name: string, start: (folder: string) => Promise<any> }>} servers
 * @param {import('./shapes').Shape} shape
 * @param {{ rounds: number, warmUp: number, folder: () => string, log: (text: string) => void, connections?: number[] }} options
 *   warmUp: seconds of CPU time that each server may warm up
 * @returns {Promise<Figure[]>}
 */
async function compare (servers, shape, { rounds, warmUp, folder, log, connections = CONNECTIONS }) {
  const subjects = []
  try {
    for (const { name, start } of servers) subjects.push(await Subject.start(name, await start(folder()), shape))
    const figures = []
    for (const count of (shape.connections ?? CONNECTIONS).filter(each => shape.connections !== undefined || connections.includes(each))) {
      for (const subject of subjects) await subject.begin(count, warmUp)
      for (let round = 0; round < rounds; round++) for (const subject of subjects) await subject.turn(true)
      for (const subject of subjects) figures.push(subject.figure(count))
      for (const figure of figures.slice(-subjects.length)) log(describe(figure))
    }
    return figures
  } finally {
    for (const subject of subjects) await subject.close()
  }
}

/** Turns before, at most: in them V8 compiles what is hot. */
const WARM_TURNS = 40

function describe ({ server, shape, connections, cpu, p50, p99, unit, error }) {
  if (cpu === null) return `${shape}, ${server}: ${error}`
  return `${shape}, ${connections} connections, ${server}: ${cpu.toFixed(2)} µs CPU a ${unit}; p50 ${p50?.toFixed(2)} ms, p99 ${p99?.toFixed(2)} ms`
}

/** One server and its clients. */
class Subject {
  #name
  #server
  #shape
  #state
  #client
  #next = 0
  #cpu = []
  #latencies = []
  #seconds = 0
  #error

  constructor (name, server, shape, state, error) {
    this.#name = name
    this.#server = server
    this.#shape = shape
    this.#state = state
    this.#error = error
  }

  static async start (name, server, shape) {
    const { size = 1000 } = shape
    const open = connections => server.client({ connections })
    const state = { size, url: server.url, stamp: Date.now().toString(36) }
    try {
      // A server that was there before may have the database of an earlier run.
      await open(1).request('DELETE', DATABASE).catch(() => {})
      const client = await createDatabase(server, size, { connections: 10 })
      Object.assign(state, await shape.prepare?.(client, { ...state, open }))
      return new Subject(name, server, shape, state)
    } catch (error) {
      return new Subject(name, server, shape, state, error)
    }
  }

  async begin (connections, warmUp) {
    this.#client = this.#server.client({ connections })
    this.#cpu = []
    this.#latencies = []
    this.#seconds = 0
    await this.#server.collect()
    const before = await this.#server.cpu()
    for (let turns = 0; turns < WARM_TURNS && this.#error === undefined; turns++) {
      await this.turn(false)
      if (await this.#server.cpu() - before >= warmUp * 1e6) return
    }
  }

  async turn (isTimed) {
    if (this.#error !== undefined) return
    const { step = 250, ready, request, units = 1 } = this.#shape
    const from = this.#next
    this.#next += step
    try {
      await ready?.(this.#client, this.#state, from, step)
      const before = await this.#server.cpu()
      const began = performance.now()
      await this.#client.concurrently(from, step, async n => {
        const start = performance.now()
        await request(this.#client, this.#state, n)
        if (isTimed) this.#latencies.push(performance.now() - start)
      })
      if (!isTimed) return
      this.#seconds += (performance.now() - began) / 1000
      this.#cpu.push((await this.#server.cpu() - before) / (step * units))
    } catch (error) {
      this.#error = error
    }
  }

  /** @returns {Figure} */
  figure (connections) {
    const { name: shape, unit = 'request', units = 1 } = this.#shape
    const about = { shape, unit, connections, server: this.#name }
    if (this.#error !== undefined) return { ...about, cpu: null, error: this.#error.message }
    const sorted = this.#latencies.sort((a, b) => a - b)
    const at = part => sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))]
    return { ...about, cpu: median(this.#cpu), p50: at(0.5), p99: at(0.99), perSecond: sorted.length * units / this.#seconds }
  }

  close () { return this.#server.close() }
}

module.exports = { compare, CONNECTIONS }
