'use strict'

const { Conditions } = require('../plan/conditions')
const { judgeIndexes } = require('../plan/planner')
const { parseFind } = require('../request/find-request')
const { fieldsOf, indexableFields } = require('../selector/selector-fields')

/**
 * @typedef {import('../plan/candidates').Asked} Asked
 * @typedef {import('../indexes/index-descriptor').IndexDescriptor} IndexDescriptor
 * @typedef {import('../plan/planner').Judged} Judged
 */

/** Requests that are remembered, parsed and planned, and how long those are at most. */
const REMEMBERED = 200
const LONGEST = 4096

/** Bytes of all plans that are remembered, of one at most, and of each of its ranges, about. */
const MOST_PLANNED = 32 * 1024 * 1024
const LARGEST_PLAN = 1024 * 1024
const OF_A_RANGE = 512

/** Requests as they were read, and what the planner finds of them, of those that come again. */
class FindPlans {
  /** The text of a request → what it asks. @type {Map<string, Asked>} */
  #requests = new Map()
  /** Others that were asked lately: what is asked once would only make room for itself. */
  #seen = new SeenTexts()
  /** The indexes of design documents → the plans of requests with them. @type {WeakMap<IndexDescriptor[], Map<string, Judged>>} */
  #plans = new WeakMap()
  /** Bytes of them, about. */
  #planned = 0

  /**
   * @param {any} body
   * @param {number} limit of a request that has none
   * @returns {{ text: string, request: Asked }} text: its name for `judge`
   * @throws bad_request and Mango's own errors
   */
  read (body, limit) {
    const text = `${limit} ${JSON.stringify(body)}`
    return { text, request: this.#requests.get(text) ?? this.#parse(text, body, limit) }
  }

  /** @param {string} text @param {any} body @param {number} limit @returns {Asked} */
  #parse (text, body, limit) {
    // Added to it: a copy of all members would cost more than to read the request.
    const asked = /** @type {Asked} */ (parseFind(body, limit))
    const fields = fieldsOf(asked.node)
    asked.conditions = new Conditions(asked.node)
    asked.read = asked.fields === undefined ? fields : [...asked.fields, ...fields]
    asked.indexable = indexableFields(asked.node)
    if (this.#seen.isAgain(text)) remember(this.#requests, text, asked)
    return asked
  }

  /** @param {string} text @param {Asked} request @param {IndexDescriptor[]} list @returns {Judged} */
  judge (text, request, list) {
    const known = this.#plans.get(list)?.get(text)
    if (known !== undefined) return known
    const judged = judgeIndexes(request, list)
    if (this.#requests.has(text)) this.#rememberPlan(text, list, judged)
    return judged
  }

  /** @param {string} text @param {IndexDescriptor[]} list @param {Judged} judged */
  #rememberPlan (text, list, judged) {
    const size = text.length + OF_A_RANGE * [...new Set(judged.ways)].reduce((count, { scans }) => count + scans.length, 0)
    if (text.length > LONGEST || size > LARGEST_PLAN) return
    if (this.#planned + size > MOST_PLANNED) {
      this.#plans = new WeakMap()
      this.#planned = 0
    }
    this.#planned += size
    if (!this.#plans.has(list)) this.#plans.set(list, new Map())
    remember(/** @type {Map<string, Judged>} */ (this.#plans.get(list)), text, judged)
  }
}

/** Texts that came lately. */
class SeenTexts {
  /** @type {Set<string>} */
  #texts = new Set()

  /** @param {string} text @returns {boolean} whether it came before; from now on it did */
  isAgain (text) {
    if (text.length > LONGEST) return false
    if (this.#texts.delete(text)) return true
    if (this.#texts.size >= REMEMBERED) this.#texts.clear()
    this.#texts.add(text)
    return false
  }
}

/**
 * All make room: to find the oldest would cost more than to begin again.
 *
 * @template T
 * @param {Map<string, T>} map
 * @param {string} key
 * @param {T} value
 */
function remember (map, key, value) {
  if (key.length > LONGEST) return
  if (map.size >= REMEMBERED) map.clear()
  map.set(key, value)
}

module.exports = { FindPlans }
