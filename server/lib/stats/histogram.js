'use strict'

/** Seconds that a histogram is of, and the slots that they are kept in: the one under way is one more. */
const WINDOW = 10
const SLOTS = WINDOW + 1

/** Buckets of an octave: a value is off by 5 % at most. */
const FINE = 8

/** Buckets begin at 2⁻¹⁰ and end at 2³⁰. */
const LEAST = 10
const BUCKETS = 40 * FINE

/** A slot: when it began (seconds), n, sum, minimum, maximum, buckets. */
const HEAD = 5
const SIZE = HEAD + BUCKETS

/**
 * Values of the last ten seconds, by magnitude, in memory that other threads may read, and their number
 * and sum since the start. To note one takes some tens of nanoseconds.
 *
 * @see https://docs.couchdb.org/en/stable/api/server/common.html#node-node-name-stats
 */
class Histogram {
  #numbers

  /** @param {SharedArrayBuffer} [memory] of another histogram */
  constructor (memory = new SharedArrayBuffer(8 * (2 + SLOTS * SIZE))) {
    this.memory = memory
    this.#numbers = new Float64Array(memory)
  }

  /** @param {number} value @param {number} now seconds, a whole number */
  note (value, now) {
    const numbers = this.#numbers
    const at = 2 + (now % SLOTS) * SIZE
    if (numbers[at] !== now) {
      numbers.fill(0, at, at + SIZE)
      numbers[at] = now
      numbers[at + 3] = Infinity
    }
    numbers[0]++
    numbers[1] += value
    numbers[at + 1]++
    numbers[at + 2] += value
    if (value < numbers[at + 3]) numbers[at + 3] = value
    if (value > numbers[at + 4]) numbers[at + 4] = value
    numbers[at + HEAD + bucketOf(value)]++
  }

  /** Values since the start. */
  get count () { return this.#numbers[0] }
  get sum () { return this.#numbers[1] }

  /**
   * Sums up the last ten seconds of several histograms.
   *
   * @param {Histogram[]} histograms
   * @param {number} now
   */
  static summary (histograms, now) {
    const buckets = new Float64Array(BUCKETS)
    let [n, min, max] = [0, Infinity, 0]
    for (const { slot } of histograms.flatMap(each => each.#recent(now))) {
      n += slot[1]
      min = Math.min(min, slot[3])
      max = Math.max(max, slot[4])
      for (let i = 0; i < BUCKETS; i++) buckets[i] += slot[HEAD + i]
    }
    return n === 0 ? describe([], 0, 0, 0) : describe([...buckets].map((count, i) => ({ count, value: clamp(valueOf(i), min, max) })).filter(({ count }) => count > 0), n, min, max)
  }

  /** @param {number} now */
  #recent (now) {
    const slots = []
    for (let i = 0; i < SLOTS; i++) {
      const slot = this.#numbers.subarray(2 + i * SIZE, 2 + (i + 1) * SIZE)
      if (slot[1] > 0 && slot[0] > now - WINDOW) slots.push({ slot })
    }
    return slots
  }
}

/** @param {number} value */
function bucketOf (value) {
  const bucket = Math.floor((Math.log2(value) + LEAST) * FINE)
  return bucket >= BUCKETS ? BUCKETS - 1 : bucket > 0 ? bucket : 0
}

/** The middle of a bucket. @param {number} bucket */
function valueOf (bucket) { return 2 ** ((bucket + 0.5) / FINE - LEAST) }

/** @param {number} value @param {number} min @param {number} max */
function clamp (value, min, max) { return Math.min(Math.max(value, min), max) }

const PERCENTILES = [50, 75, 90, 95, 99, 999]

/** @typedef {{ count: number, value: number }} Bar */

/** CouchDB's figures of a distribution. @param {Bar[]} bars @param {number} n @param {number} min @param {number} max */
function describe (bars, n, min, max) {
  /** @param {(value: number) => number} f */
  const mean = f => n === 0 ? 0 : bars.reduce((sum, { count, value }) => sum + count * f(value), 0) / n
  const average = mean(value => value)
  /** @param {number} power */
  const moment = power => mean(value => (value - average) ** power)
  const variance = n > 1 ? moment(2) * n / (n - 1) : 0
  const deviation = Math.sqrt(variance)
  const percentile = PERCENTILES.map(percent => [percent, quantile(bars, n, percent > 100 ? percent / 1000 : percent / 100)])
  return {
    n,
    min,
    max,
    arithmetic_mean: average,
    geometric_mean: n === 0 ? 0 : Math.exp(mean(value => Math.log(value || Number.MIN_VALUE))),
    harmonic_mean: n === 0 ? 0 : 1 / mean(value => 1 / (value || Number.MIN_VALUE)),
    median: percentile[0][1],
    variance,
    standard_deviation: deviation,
    skewness: deviation === 0 ? 0 : moment(3) / deviation ** 3,
    kurtosis: deviation === 0 ? 0 : moment(4) / deviation ** 4 - 3,
    percentile,
    histogram: bars.length === 0 ? [[0, 0]] : bars.map(({ value, count }) => [value, count])
  }
}

/** @param {Bar[]} bars @param {number} n @param {number} part */
function quantile (bars, n, part) {
  let left = Math.ceil(n * part)
  for (const { value, count } of bars) {
    left -= count
    if (left <= 0) return value
  }
  return bars.at(-1)?.value ?? 0
}

module.exports = { Histogram }
