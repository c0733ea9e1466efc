'use strict'

const { reduceView } = require('../reduces/reduce-view')
const { inPartition } = require('../rows/key-range')
const { snapshotByPrincipal, snapshotFor } = require('./view-snapshot')
const { ViewResult, pagesOf } = require('./view-result')

/**
 * @typedef {import('@potoroo/document-store').MemberStore} MemberStore
 * @typedef {import('../rows/key-range').KeyRange} KeyRange
 * @typedef {import('../index/index-snapshot').IndexSnapshot} IndexSnapshot
 * @typedef {import('../index/level-index').IndexState} IndexState
 * @typedef {import('../reduces/reducer').Reducer} Reducer
 * @typedef {import('../reduces/reduce-limit').ReduceLimit} ReduceLimit
 * @typedef {import('./group').Group} Group
 * @typedef {import('./named-view').View} View
 * @typedef {import('./view-options').Ranges} Ranges
 * @typedef {import('./view-options').Plan} ViewPlan
 * @typedef {import('./view-result').TextRow} TextRow
 */

/**
 * Answers a query that reduces.
 *
 * @param {Group} group
 * @param {View} view
 * @param {ViewPlan} plan
 * @param {ReduceLimit} limit
 * @param {MemberStore} [reader] as of `Views.queries`
 */
async function reduced (group, view, plan, limit, reader) {
  const { index, rows } = group
  const reducer = view.reducer(limit)
  const question = group.byPrincipal ? undefined : questionOf(plan, reducer)
  const known = rows.state.unfinished === undefined ? knownAnswer(view, rows.state, question) : undefined
  if (known !== undefined) return known
  await rows.prepareSums(view.number, plan.level === 0 ? wholeRange(plan.ranges.at(0), plan) : undefined)
  const snapshot = /** @type {IndexSnapshot} */ (group.byPrincipal ? await snapshotByPrincipal(group, view, plan, reader) : await snapshotFor(index, plan))
  return reducedIn(snapshot, view, plan, { reducer, question, changes: rows, tellsSequence: reader === undefined })
}

/**
 * Returns an answer that was worked out before of the same rows.
 *
 * @param {View} view
 * @param {IndexState} state
 * @param {string | undefined} question
 */
function knownAnswer (view, state, question) {
  const known = question === undefined ? undefined : view.answers.find(state, question)
  return known && new ViewResult({ updateSeq: state.seq }, pagesOf(known), async () => {})
}

/**
 * Reduces the rows of a moment, whose snapshot is closed with the answer.
 *
 * @param {IndexSnapshot} snapshot
 * @param {View} view
 * @param {ViewPlan} plan
 * @param {object} how
 * @param {Reducer} how.reducer
 * @param {string | undefined} how.question of which the answer is remembered
 * @param {Pick<import('../index/row-index').RowIndex, 'changedBetween'>} [how.changes] since answers that are remembered
 * @param {boolean} [how.tellsSequence]
 */
async function reducedIn (snapshot, view, plan, { reducer, question, changes, tellsSequence = true }) {
  try {
    const { ranges } = plan
    const parts = changes === undefined || question === undefined || !isByGroups(plan) ? undefined : view.answers.parts(changes, snapshot.state, question, /** @type {KeyRange} */ (ranges.at(0)))
    const made = parts === undefined ? reducedRows(view, ranges, plan, reducer, snapshot) : reducedParts(view, parts, plan, reducer, snapshot)
    const pages = question === undefined ? made : view.answers.keep(snapshot.state, question, made)
    // Rows that cannot be reduced are told of before there is an answer.
    const first = await pages.next()
    const close = async () => {
      await pages.return(undefined)
      await snapshot.close()
    }
    return new ViewResult({ updateSeq: tellsSequence ? snapshot.state.seq : undefined }, first.done ? pages : followed(first.value, pages), close)
  } catch (error) {
    await snapshot.close()
    throw error
  }
}

/**
 * Returns a name for what is asked of a view, where its answer is the same for all who ask; undefined of a list of keys.
 *
 * @param {ViewPlan} plan
 * @param {Reducer} reducer
 */
function questionOf ({ ranges, keys, partition, level, skip, limit }, reducer) {
  const range = ranges.at(0)
  if (keys !== undefined || range === undefined || range.accepts !== undefined) return undefined
  return JSON.stringify([reducer.name, partition, String(level), skip, String(limit), range.low, range.high, range.descending])
}

/**
 * Whether an answer is all groups of a range of the index, in order.
 * @param {ViewPlan} plan
 */
function isByGroups ({ ranges, partition, level, skip, limit }) {
  return level > 0 && skip === 0 && limit === Infinity && partition === '' && ranges.at(0)?.descending === false
}

/**
 * @param {View} view
 * @param {import('./changed-groups').AnswerPart[]} parts
 * @param {ViewPlan} plan
 * @param {Reducer} reducer
 * @param {IndexSnapshot} snapshot
 * @returns {AsyncGenerator<TextRow[]>}
 */
async function * reducedParts (view, parts, plan, reducer, snapshot) {
  for (const { rows, range } of parts) {
    if (range === undefined) yield rows
    else yield * reducedRows(view, [range], plan, reducer, snapshot, true)
  }
}

/** @param {TextRow[]} first @param {AsyncIterable<TextRow[]>} others @returns {AsyncGenerator<TextRow[]>} */
async function * followed (first, others) {
  yield first
  yield * others
}

/**
 * @param {View} view
 * @param {Ranges} ranges
 * @param {ViewPlan} plan
 * @param {Reducer} reducer
 * @param {IndexSnapshot} snapshot
 * @param {boolean} [isLong] the first group is likely to be long
 * @returns {AsyncGenerator<TextRow[]>}
 */
async function * reducedRows (view, ranges, plan, reducer, snapshot, isLong = false) {
  const options = { level: plan.level, skip: plan.skip, limit: plan.limit, groupKeys: plan.keys, isLong }
  for await (const page of reduceView(snapshot, view.number, ranges, options, reducer)) yield page.map(toTexts)
}

/** @param {import('../reduces/reduce-view').Reduced} row @returns {TextRow} */
function toTexts ({ key, start, value, error, reason }) {
  // CouchDB does not say which group it is.
  if (error !== undefined) return { key: 'null', error: JSON.stringify(error), reason: JSON.stringify(reason) }
  return { key, start, value: JSON.stringify(value) ?? 'null' }
}

/** @param {KeyRange | undefined} range @param {Pick<ViewPlan, 'partition'>} plan */
function wholeRange (range, { partition }) {
  return range === undefined || partition === '' ? range : inPartition(range, partition)
}

module.exports = { knownAnswer, questionOf, reduced, reducedIn }
