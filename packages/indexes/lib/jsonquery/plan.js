'use strict'

const { asksForRoot } = require('./syntax')
const { both, boundOf, fieldOf } = require('./selector')

/**
 * How the steps of a query are applied to the documents of a database.
 *
 * @typedef {object} Plan
 * @property {import('./syntax').Filter[]} filters the first steps
 * @property {Record<string, any>} selector what Mango can say of them
 * @property {boolean} isExact it says all of them
 * @property {import('./syntax').Sort | null} sort the next one
 * @property {Array<Record<string, 'asc' | 'desc'>> | null} order the same for Mango, if it can sort so
 * @property {number} skip documents in their order, of those that are wanted
 * @property {number} most how many after them; Infinity for all
 * @property {Array<import('./syntax').Filter | import('./syntax').Mapping>} each steps that are applied to one at a time
 * @property {import('./syntax').Step[]} rest
 */

/** @typedef {import('./syntax').Step} Step */

/**
 * @param {Step[]} steps
 * @returns {Plan}
 */
function planSteps (steps) {
  const queue = steps.filter((step, i) => !(step.type === 'values' && i === 0)) // the values of a list are the list
  const filters = /** @type {import('./syntax').Filter[]} */ (takeWhile(queue, isPlainFilter))
  const bounds = filters.map(({ by }) => boundOf(by))
  const bound = bounds.length === 0 ? EVERYTHING : bounds.reduce(both)
  const [sort = null] = /** @type {import('./syntax').Sort[]} */ (queue[0]?.type === 'sort' ? [queue.shift()] : [])
  const part = partOf(queue)
  return {
    filters,
    selector: bound === null ? {} : bound.selector,
    isExact: bounds.every(each => each?.isExact),
    sort,
    order: sort === null || bound === null ? null : orderOf(sort, bound.fields),
    ...part,
    each: /** @type {Plan['each']} */ (takeWhile(queue, step => isPlainFilter(step) || (step.type === 'map' && !step.deep))),
    rest: queue
  }
}

/** @type {import('./selector').Bound} */
const EVERYTHING = { selector: {}, isExact: true, fields: [] }

/** Takes the first ones away. @param {Step[]} queue @param {(step: Step) => boolean} isOne */
function takeWhile (queue, isOne) {
  const end = queue.findIndex(step => !isOne(step))
  return queue.splice(0, end === -1 ? queue.length : end)
}

/** @param {Step} step */
function isPlainFilter (step) { return step.type === 'filter' && !step.deep && !step.distinct }

/**
 * The part of the documents that a slice, or an index of one of them, asks for. A slice that says nothing else goes.
 *
 * @param {Step[]} queue
 * @returns {{ skip: number, most: number }}
 */
function partOf (queue) {
  const [step] = queue
  if (step?.type === 'index' && step.by.type === 'literal' && Number.isSafeInteger(step.by.value) && step.by.value >= 0) return { skip: 0, most: step.by.value + 1 }
  if (step?.type !== 'slice') return { skip: 0, most: Infinity }
  const start = step.start ?? 0
  const end = step.end ?? Infinity
  if (start < 0 || end < 0) return { skip: 0, most: Infinity }
  if (step.step > 1) return { skip: 0, most: end }
  queue.shift()
  return { skip: start, most: Math.max(0, end - start) }
}

/**
 * An index has no documents that lack a field, and goes in one direction.
 *
 * @param {import('./syntax').Sort} sort
 * @param {string[]} fields that all documents have
 */
function orderOf ({ keys }, fields) {
  const names = keys.map(({ by }) => fieldOf(by))
  const [{ descending }] = keys
  const sorts = names.every(name => name !== null && name !== '_id' && fields.includes(name)) && keys.every(key => key.descending === descending)
  if (!sorts || new Set(names).size < names.length) return null
  return names.map(name => ({ [/** @type {string} */ (name)]: /** @type {'asc' | 'desc'} */ (descending ? 'desc' : 'asc') }))
}

/** Whether all documents have to be there before the first step. @param {Step[]} steps */
function needsAll (steps) { return steps.some(step => asksForRoot({ ...step, of: { type: 'current' } })) }

module.exports = { needsAll, planSteps }
