'use strict'

const { Histogram } = require('./histogram')
const { described, isGauge, names, numberOf } = require('./metrics')

const HISTOGRAMS = described.filter(([, kind]) => kind === 'histogram').length
const GAUGES = names.filter(isGauge).map(numberOf)
const REQUESTS = numberOf('couchdb.httpd.requests')
const ABORTED = numberOf('couchdb.httpd.aborted_requests')
const ABANDONED = numberOf('couchdb.httpd.abandoned_streaming_requests')
const REQUEST_TIME = numberOf('couchdb.request_time')

/** @param {string} prefix */
const numbersBelow = prefix => new Map(names.filter(name => name.startsWith(prefix)).map(name => [name.slice(prefix.length), numberOf(name)]))
const methodNumbers = numbersBelow('couchdb.httpd_request_methods.')
/** By status code. @type {Array<number | undefined>} */
const codeNumbers = []
for (const [code, number] of numbersBelow('couchdb.httpd_status_codes.')) codeNumbers[Number(code)] = number

/**
 * The counters of a server. All of it is in shared memory: each thread that serves has one of its own, which it
 * alone writes, and `read` adds up those of all.
 */
class Statistics {
  #counters
  /** @type {Histogram[]} */
  #histograms

  /** @param {{ counters: SharedArrayBuffer, histograms: SharedArrayBuffer[] }} [memory] of another thread's */
  constructor (memory) {
    const counters = memory?.counters ?? new SharedArrayBuffer(8 * names.length)
    this.#counters = new Float64Array(counters)
    this.#histograms = Array.from({ length: HISTOGRAMS }, (_, i) => new Histogram(memory?.histograms[i]))
    /** For another thread that reads. */
    this.memory = { counters, histograms: this.#histograms.map(histogram => histogram.memory) }
  }

  /** @param {number} number as `numberOf` gives it */
  count (number, by = 1) { this.#counters[number] += by }

  /** Nothing goes on: whoever counted has ended. */
  endGauges () { for (const number of GAUGES) this.#counters[number] = 0 }

  /** @param {number} number of a histogram @param {number} value */
  note (number, value) { this.#histograms[number].note(value, second()) }

  /**
   * A request that is done with.
   *
   * @param {{ method: string, metric?: number }} req metric: what else counts it
   * @param {import('node:http').ServerResponse} res
   * @param {number} startedAt by `performance.now()`
   */
  request ({ method, metric }, res, startedAt) {
    const counters = this.#counters
    const time = performance.now() - startedAt
    counters[REQUESTS]++
    const ofMethod = methodNumbers.get(method)
    if (ofMethod !== undefined) counters[ofMethod]++
    const ofCode = codeNumbers[res.statusCode]
    if (ofCode !== undefined) counters[ofCode]++
    if (metric !== undefined) counters[metric]++
    if (!res.writableEnded) {
      counters[ABORTED]++
      if (res.headersSent) counters[ABANDONED]++
    }
    this.#histograms[REQUEST_TIME].note(time, second())
  }

  /**
   * The values of all metrics, of several threads together.
   *
   * @param {Statistics[]} threads
   * @returns {Map<string, number | ReturnType<typeof Histogram.summary> & { count: number, sum: number }>}
   */
  static read (threads) {
    const now = second()
    return new Map(described.map(([name, kind]) => [name, valueOf(name, kind)]))

    /** @param {string} name @param {string} kind */
    function valueOf (name, kind) {
      const number = numberOf(name)
      if (kind !== 'histogram') return threads.reduce((sum, each) => sum + each.#counters[number], 0)
      const histograms = threads.map(each => each.#histograms[number])
      const total = { count: histograms.reduce((sum, { count }) => sum + count, 0), sum: histograms.reduce((sum, each) => sum + each.sum, 0) }
      return { ...Histogram.summary(histograms, now), ...total }
    }
  }
}

/** A clock that all threads share. */
function second () { return Math.floor(Date.now() / 1000) }

module.exports = { Statistics }
