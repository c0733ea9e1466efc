'use strict'

const { mapInTurns } = require('@potoroo/document-store')
const { badRequest } = require('@potoroo/errors')
const { anyOf, atLeast, block, ordered, repeat, unordered } = require('./combinations')
const { extend, following, maxgaps, maxwidth, preceding } = require('./changes')
const { relations } = require('./relations')

/**
 * A function of intervals as it is worked out: of the lists of other steps, or of a term's positions.
 *
 * @typedef {{ id: number, kind: string, parts: Step[], numbers: number[], text: string, extent: number }} Step extent: the least positions that
 *   an interval has; 0 where there is none
 * @typedef {import('./interval-list').IntervalList} IntervalList
 */

/** Steps of a query. */
const MOST_STEPS = 8192
/** Combinations of alternatives within one function, as Lucene. */
const MOST_WAYS = 1024

/** @type {Record<string, (lists: IntervalList[], out: IntervalList, numbers: number[]) => void>} */
const operations = { ...relations, anyOf, atLeast, block, extend, following, maxgaps, maxwidth, ordered, preceding, repeat, unordered }

/** The least positions of several: a 32-bit number, as in Lucene. @param {Step[]} parts */
function sumOfExtents (parts) { return parts.reduce((sum, { extent }) => (sum + extent) | 0, 0) }

/** Makes steps, each once: equal functions are one. Parts have a lower id than what they are a part of. */
class Steps {
  /** @type {Map<string, Step>} */
  #known = new Map()

  /** @param {string} kind @param {{ parts?: Step[], numbers?: number[], text?: string, extent: number }} of @returns {Step} */
  make (kind, { parts = [], numbers = [], text = '', extent }) {
    const key = `${kind} ${numbers} ${parts.map(({ id }) => id)} ${text}`
    let step = this.#known.get(key)
    if (step === undefined) {
      if (this.#known.size === MOST_STEPS) throw badRequest(`The query is too costly: its interval functions would be more than ${MOST_STEPS}.`)
      this.#known.set(key, step = { id: this.#known.size, kind, parts, numbers, text, extent })
    }
    return step
  }

  /** @param {string} text */
  term (text) { return this.make('term', { text, extent: 1 }) }

  get none () { return this.make('anyOf', { extent: 0 }) }

  /** @param {Step[]} all at least one @returns {Step} */
  or (all) {
    const parts = [...new Set(all.flatMap(step => isChoice(step) ? step.parts : [step]))].sort((a, b) => a.id - b.id)
    return parts.length === 1 ? parts[0] : this.make('anyOf', { parts, extent: Math.min(...parts.map(({ extent }) => extent)) })
  }

  /** Any of the terms of a pattern, which count as one. @param {string} pattern @param {string[]} terms @returns {Step} */
  terms (pattern, terms) { return this.make('anyOf', { parts: terms.map(term => this.term(term)), text: pattern, extent: 1 }) }

  /** @param {Step[]} parts @returns {Step} */
  ordered (parts) {
    if (parts.length === 1) return parts[0]
    /** @type {Array<{ part: Step, times: number }>} */
    const runs = []
    for (const part of parts) {
      const last = runs[runs.length - 1]
      if (last?.part === part) last.times++
      else runs.push({ part, times: 1 })
    }
    return this.#joined('ordered', runs.map(({ part, times }) => this.#repeated(part, times)))
  }

  /** @param {Step[]} parts @returns {Step} */
  unordered (parts) {
    if (parts.length === 1) return parts[0]
    /** @type {Map<Step, number>} */
    const times = new Map()
    for (const part of parts) times.set(part, (times.get(part) ?? 0) + 1)
    return this.#joined('unordered', [...times].map(([part, times]) => this.#repeated(part, times)))
  }

  /** @param {'ordered' | 'unordered'} kind @param {Step[]} parts */
  #joined (kind, parts) { return parts.length === 1 ? parts[0] : this.make(kind, { parts, extent: sumOfExtents(parts) }) }

  /** @param {Step} part @param {number} times */
  #repeated (part, times) { return times === 1 ? part : this.make('repeat', { parts: [part], numbers: [times], extent: part.extent }) }

  /** @param {Step[]} parts @returns {Promise<Step>} */
  async phrase (parts) { return parts.length === 1 ? parts[0] : this.or(await this.#eachWay(parts, way => this.#block(way))) }

  /** @param {Step[]} way */
  #block (way) {
    const parts = way.some(({ kind }) => kind === 'block') ? way.flatMap(step => step.kind === 'block' ? step.parts : [step]) : way
    return this.make('block', { parts, extent: sumOfExtents(parts) })
  }

  /** @param {number} least @param {Step[]} parts @returns {Step} */
  atLeast (least, parts) {
    if (least > parts.length) return this.none
    if (least === parts.length) return this.unordered(parts)
    const extents = parts.map(({ extent }) => extent).sort((a, b) => a - b)
    return this.make('atLeast', { parts, numbers: [least], extent: extents.slice(0, least).reduce((sum, extent) => (sum + extent) | 0, 0) })
  }

  /** @param {number} most @param {Step} part @returns {Promise<Step>} */
  async maxgaps (most, part) { return this.or((await this.#pulledUp(part)).map(each => this.make('maxgaps', { parts: [each], numbers: [most], extent: each.extent }))) }

  /** @param {number} most @param {Step} part @returns {Step} */
  maxwidth (most, part) { return this.make('maxwidth', { parts: [part], numbers: [most], extent: part.extent }) }

  /** @param {Step} part @param {number} before @param {number} after @returns {Step} */
  extend (part, before, after) {
    const extent = (before + part.extent + after) | 0
    return this.make('extend', { parts: [part], numbers: [before, after], extent: extent < 0 ? 0x7fffffff : extent })
  }

  /** @param {'preceding' | 'following'} kind @param {Step} part @returns {Step} */
  beside (kind, part) { return this.make(kind, { parts: [part], extent: 1 }) }

  /**
   * Intervals of one that stand in a relation to those of another. Alternatives of which one may be within the other are taken apart: the shorter of
   * them would hide the longer one.
   *
   * @param {string} kind of relations.js
   * @param {Step} source
   * @param {Step} reference
   * @returns {Promise<Step>}
   */
  async related (kind, source, reference) {
    const make = (/** @type {Step} */ a, /** @type {Step} */ b) => this.make(kind, { parts: [a, b], extent: a.extent })
    if (SPLIT_SOURCE.has(kind)) return this.or((await this.#split(source)).map(each => make(each, reference)))
    if (SPLIT_REFERENCE.has(kind)) return this.or((await this.#split(reference)).map(each => make(source, each)))
    return make(source, reference)
  }

  /** The alternatives of a step; itself, if there are none. @param {Step} step @returns {Promise<Step[]>} */
  async #pulledUp (step) {
    const { kind, parts, numbers } = step
    if (isChoice(step)) return parts
    switch (kind) {
      case 'ordered': case 'unordered': return this.#eachWay(parts, way => this.make(kind, { parts: way, extent: sumOfExtents(way) }))
      case 'overlapping': return this.#eachWay(parts, ([a, b]) => this.make(kind, { parts: [a, b], extent: a.extent }))
      case 'extend': return (await this.#pulledUp(parts[0])).map(each => this.extend(each, numbers[0], numbers[1]))
      case 'maxwidth': return (await this.#split(parts[0])).map(each => this.maxwidth(numbers[0], each))
      case 'containing': return (await this.#split(parts[0])).map(each => this.make(kind, { parts: [each, parts[1]], extent: each.extent }))
      case 'containedBy': return (await this.#split(parts[1])).map(each => this.make(kind, { parts: [parts[0], each], extent: parts[0].extent }))
      default: return [step]
    }
  }

  /** The alternatives of a step; those of one position are together, as none of them hides another. @param {Step} step @returns {Promise<Step[]>} */
  async #split (step) {
    const all = await this.#pulledUp(step)
    const short = all.filter(({ extent }) => extent === 1)
    const long = all.filter(({ extent }) => extent !== 1)
    return short.length === 0 ? long : [this.or(short), ...long]
  }

  /** Combines the alternatives of several steps in each way: there may be a thousand, each of a thousand parts. @param {Step[]} parts @param {(way: Step[]) => Step} make @returns {Promise<Step[]>} */
  async #eachWay (parts, make) {
    /** @type {Step[][]} */
    let ways = [[]]
    for (const part of parts) {
      const all = await this.#split(part)
      if (all.length > 1 && ways.length * all.length > MOST_WAYS) throw badRequest('Too many disjunctions to expand')
      // To copy all of them for each part takes time that grows with the square of the parts.
      if (all.length === 1) for (const way of ways) way.push(all[0])
      else ways = all.flatMap(each => ways.map(way => way.concat(each)))
    }
    return mapInTurns(ways, make)
  }
}

const SPLIT_SOURCE = new Set(['containing', 'notContaining'])
const SPLIT_REFERENCE = new Set(['containedBy', 'notContainedBy'])

/** Whether these are alternatives that were given one by one. @param {Step} step */
function isChoice ({ kind, text, parts }) { return kind === 'anyOf' && text === '' && parts.length > 0 }

module.exports = { Steps, operations }
