'use strict'

/** Texts of CouchDB's protocol around the rows that it sends to be reduced, and around the answer. */
const REDUCE_ENVELOPE = '["reduce",[""],,""]\n'.length
const REREDUCE_ENVELOPE = '["rereduce",[""],,""]\n'.length
const ANSWER_ENVELOPE = '[]'.length

/** Bytes that are sent at once, about: a program has some ten times as much memory. */
const MOST = 4 * 1024 * 1024

/** @typedef {{ id: string, key: any, value: any }} Row */

/**
 * A reduce function that runs in the query server, many groups at a time. A reduction beyond the limit
 * makes no failure but an error in the row's place, which stays whatever it is reduced with.
 */
class JavascriptReduce {
  #functions
  #queryServer
  #limit

  /**
   * @param {import('@potoroo/query-server').Functions} functions the one
   * @param {import('@potoroo/query-server').QueryServer} queryServer
   * @param {import('./reduce-limit').ReduceLimit} limit
   */
  constructor (functions, queryServer, limit) {
    this.#functions = functions
    this.#queryServer = queryServer
    this.#limit = limit
  }

  /**
   * Reduces a group that is too large for one call in parts, and these again.
   *
   * @param {Row[][]} groups
   * @returns {Promise<any[]>}
   */
  async reduce (groups) {
    const parts = groups.map(rows => cut(rows, ({ value }) => weigh(value)))
    const values = await this.#reduceWhole(parts.flat())
    const several = parts.filter(({ length }) => length > 1)
    if (several.length === 0) return values
    let next = 0
    const joined = parts.map(({ length }) => {
      next += length
      return values.slice(next - length, next)
    })
    const again = await this.rereduce(joined.filter(({ length }) => length > 1))
    return joined.map(values => values.length > 1 ? again.shift() : values[0])
  }

  /** @param {any[][]} groups of reductions @returns {Promise<any[]>} */
  async rereduce (groups) {
    const results = groups.map(values => values.find(isOverflow))
    const others = groups.filter((values, i) => results[i] === undefined)
    const values = others.length === 0 ? [] : await this.#run(others.map(values => [null, values]), true)
    let next = 0
    return results.map((overflow, i) => overflow ?? this.#check(values[next++], () => sizeOf(groups[i]) + REREDUCE_ENVELOPE))
  }

  /** @param {Row[][]} groups */
  async #reduceWhole (groups) {
    const values = await this.#run(groups.map(rows => [rows.map(({ id, key }) => [key, id]), rows.map(({ value }) => value)]), false)
    return values.map((value, i) => this.#check(value, () => sizeOf(groups[i].map(({ id, key, value }) => [[key, id], value])) + REDUCE_ENVELOPE))
  }

  /** @param {Array<[any[] | null, any[]]>} groups @param {boolean} rereduce @returns {Promise<any[]>} */
  async #run (groups, rereduce) {
    const values = []
    for (const some of cut(groups, ([, values]) => weigh(values))) {
      for (const [value] of await this.#queryServer.reduce(this.#functions, some, rereduce)) values.push(value)
    }
    return values
  }

  /** @param {any} value a reduction @param {() => number} inputSize bytes that were reduced */
  #check (value, inputSize) {
    const reason = this.#limit.check(value, inputSize, ANSWER_ENVELOPE)
    return reason === undefined ? value : { reduce_overflow_error: reason }
  }
}

/**
 * Cuts a list where it gets too large.
 *
 * @template T
 * @param {T[]} list
 * @param {(item: T) => number} weightOf
 * @returns {T[][]}
 */
function cut (list, weightOf) {
  const parts = []
  let part = /** @type {T[]} */ ([])
  let sum = 0
  for (const item of list) {
    const weight = weightOf(item)
    if (sum + weight > MOST && part.length > 0) {
      parts.push(part)
      part = []
      sum = 0
    }
    part.push(item)
    sum += weight
  }
  return [...parts, part]
}

/**
 * About how many bytes a value is in JSON.
 *
 * @param {unknown} value
 */
function weigh (value) {
  if (Array.isArray(value)) return value.reduce((sum, each) => sum + weighMember(each), 2)
  return weighMember(value)
}

/**
 * Writes out what is nested: that goes deeper than calls do.
 *
 * @param {unknown} value
 */
function weighMember (value) {
  if (typeof value === 'string') return value.length
  return typeof value === 'object' && value !== null ? JSON.stringify(value).length : 8
}

/** @param {unknown} value */
function sizeOf (value) { return Buffer.byteLength(JSON.stringify(value)) }

/** @param {unknown} value */
function isOverflow (value) { return overflowOf(value) !== undefined }

/**
 * @param {any} value
 * @returns {string | undefined} why there is no reduction
 */
function overflowOf (value) {
  return typeof value === 'object' && value !== null ? value.reduce_overflow_error : undefined
}

module.exports = { JavascriptReduce, overflowOf }
