'use strict'

const { toJson } = require('@potoroo/document-store')
const { badRequest } = require('@potoroo/errors')
const { Documents } = require('./documents')
const { valueOf } = require('./evaluate')
const { parseQuery } = require('./parser')
const { needsAll, planSteps } = require('./plan')
const { stepWalk } = require('./steps')
const { chainOf, isStep, partsOf, withParts } = require('./syntax')
const { textOf } = require('./text')
const { Work } = require('./work')

/**
 * @typedef {import('@potoroo/document-store').DocumentStore} DocumentStore
 * @typedef {import('../mango/run/mango').Mango} Mango
 * @typedef {import('../..').JsonQueryOptions} Options
 * @typedef {import('./syntax').Node} Node
 * @typedef {import('./syntax').Step} Step
 * @typedef {{ values: any, documents?: import('@potoroo/document-store').Document[] | null }} Found documents: the elements, where they are documents as they are stored
 * @typedef {(steps: Step[]) => Promise<Found>} Source of what steps give that begin at the whole
 */

/**
 * A JSONQuery, as Persevere and `dojox.json.query` have it. It is read into a tree, and never run as code.
 *
 * @see https://dojotoolkit.org/reference-guide/dojox/json/query.html
 */
class JsonQuery {
  #node

  /**
   * @param {any} text
   * @param {any} [parameters] texts, numbers, booleans or null, for `$1` to `$9`
   * @throws query_parse_error with the character at which it goes wrong; query_too_large
   */
  constructor (text, parameters = []) {
    if (typeof text !== 'string') throw badRequest('`q` must be a string')
    if (!Array.isArray(parameters)) throw badRequest('`args` must be an array')
    this.#node = parseQuery(text, parameters)
  }

  /** Asks one value. @param {any} value @returns {Promise<any>} */
  async of (value) { return (await this.#foundOf(value, new Work())).values ?? null }

  /** The same as JSON. @param {any} value */
  async textOf (value) {
    const work = new Work()
    return textOf((await this.#foundOf(value, work)).values ?? null, work)
  }

  /** @param {any} value @param {Work} work */
  #foundOf (value, work) {
    const source = async (/** @type {Step[]} */ steps) => ({ values: await applyTo(value, steps, { root: value, current: value, work }) })
    return evaluate(this.#node, source, work)
  }

  /**
   * Asks the list of all documents of a database, design documents left out, in the order of their ids.
   *
   * @param {Mango} mango
   * @param {DocumentStore} database
   * @param {Options} [options]
   * @returns {Promise<any>}
   */
  async in (mango, database, options) { return (await this.#found(mango, database, options, new Work())).values ?? null }

  /** The same as JSON. @param {Mango} mango @param {DocumentStore} database @param {Options} [options] */
  async textIn (mango, database, options) {
    const work = new Work()
    const { values, documents } = await this.#found(mango, database, options, work)
    if (documents == null) return textOf(values ?? null, work)
    const texts = []
    for (const document of documents) {
      texts.push(toJson(document))
      const pause = work.next()
      if (pause !== undefined) await pause
    }
    return `[${texts.join(',')}]`
  }

  /** @param {Mango} mango @param {DocumentStore} database @param {Options | undefined} options @param {Work} work */
  #found (mango, database, { isWanted = () => true, reader, onFind } = {}, work) {
    const source = async (/** @type {Step[]} */ steps) => {
      const all = needsAll(steps)
      const plan = planSteps(all ? [] : steps)
      const { values, documents } = await new Documents(mango, database, plan, { work, isWanted, reader, onFind }).read()
      const rest = all ? steps : plan.rest
      return rest.length === 0 ? { values, documents } : { values: await applyTo(values, rest, { root: values, current: values, work }) }
    }
    return evaluate(this.#node, source, work)
  }

  /**
   * Tells how the query is carried out: what Mango is asked, and the steps that are left.
   *
   * @param {Mango} mango
   * @param {DocumentStore} database
   * @param {Options} [options]
   */
  async explain (mango, database, { reader } = {}) {
    /** @type {any[]} */
    const finds = []
    const work = new Work()
    await evaluate(this.#node, async steps => {
      const all = needsAll(steps)
      const plan = planSteps(all ? [] : steps)
      const { body, isOrdered, isCut } = await new Documents(mango, database, plan, { work, isWanted: () => true, reader }).ask()
      const { index, adaptive } = await mango.explain(database, body, reader)
      const sorts = isOrdered ? [] : [plan.sort === null ? 'sort by id' : 'sort']
      const left = [...plan.isExact ? [] : ['filter'], ...sorts, ...isCut || (plan.most === Infinity && plan.skip === 0) ? [] : ['slice'], ...[...plan.each, ...all ? steps : plan.rest].map(({ type }) => type)]
      const { limit, ...find } = body
      finds.push({ find: isCut && Number.isFinite(plan.most) ? body : find, index, ...(adaptive !== undefined && { adaptive }), steps: left })
      return { values: null }
    }, work)
    return { finds }
  }
}

/** @param {any} value @param {Step[]} steps @param {import('./evaluate').Scope} scope */
async function applyTo (value, steps, scope) {
  let found = value
  for (const step of steps) found = await scope.work.walk(stepWalk(step, found, scope, valueOf))
  return found
}

/**
 * @param {Node} node
 * @param {Source} source
 * @param {Work} work
 * @returns {Promise<Found>}
 */
async function evaluate (node, source, work) {
  const { base, steps } = chainOf(node)
  if (base.type === 'root' || base.type === 'current') return source(steps)
  if (base.type === 'literal') return { values: await applyTo(base.value, steps, { root: undefined, current: undefined, work }) }
  const parts = []
  for (const part of partsOf(base)) parts.push(/** @type {Node} */ ({ type: 'literal', value: (await evaluate(part, source, work)).values }))
  if (isStep(base)) throw new TypeError('A chain does not begin with a step')
  const scope = { root: undefined, current: undefined, work }
  return { values: await applyTo(valueOf(withParts(base, parts), scope), steps, scope) }
}

module.exports = { JsonQuery }
