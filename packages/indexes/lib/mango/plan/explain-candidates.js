'use strict'

const { coversQuery } = require('./candidates')
const { listIndex } = require('../indexes/index-descriptor')
const { compareFit, isAsked } = require('./planner')

/**
 * @typedef {import('./candidates').Asked} Asked
 * @typedef {import('../indexes/index-descriptor').IndexDescriptor} IndexDescriptor
 * @typedef {import('./planner').Judgement} Judgement
 */

/**
 * The indexes that were not chosen, and why: CouchDB's analysis, with one reason of our own. `more_rows`
 * have those that CouchDB would have taken before, and that turned out to have more to read.
 *
 * @param {import('./candidates').Asked} request
 * @param {ReturnType<typeof import('./planner').judgeIndexes>} judged
 * @param {import('./candidates').Candidate | null} chosen
 */
function explainCandidates (request, { judgements }, chosen) {
  const winner = chosen?.indexes[0]
  const others = judgements.filter(({ index }) => !chosen?.indexes.includes(index))
  const kinds = new Map(others.map(judgement => [judgement.index, kindOf(judgement, request, winner)]))
  const rivals = judgements.filter(({ index, reasons }) => reasons.length === 0 && (index === winner || kinds.get(index) === 'rival'))
    .map(({ index }) => index).sort((a, b) => compareFit(a, b, request))
  const ranks = ranksOf(new Set(kinds.values()), rivals.length)
  return others.toSorted((a, b) => compareNames(b.index, a.index)).map(({ index, reasons }) => {
    const kind = /** @type {string} */ (kinds.get(index))
    return {
      index: listIndex(index),
      analysis: {
        usable: reasons.length === 0,
        reasons: [{ name: kind === 'rival' ? whyNot(index, winner, rivals, request) : reasons[0] ?? kind }],
        ranking: kind === 'rival' ? rivals.filter(rival => rival !== winner).indexOf(index) + 1 : ranks[kind],
        covering: index.type !== 'json' ? null : coversQuery(index, { fields: request.fields, read: request.fields ?? [] })
      }
    }
  })
}

/**
 * @param {Pick<Judgement, 'index' | 'reasons'>} judgement
 * @param {Asked} request
 * @param {IndexDescriptor | undefined} winner
 * @returns {string} `rival` of the same kind as the winner, or what it is passed over for
 */
function kindOf ({ index, reasons }, request, winner) {
  if (reasons.includes('scope_mismatch')) return 'scope_mismatch'
  if (reasons.includes('is_partial')) return 'is_partial'
  if (reasons.length > 0) return 'not_usable'
  if (winner !== undefined && isAsked(winner, request.useIndex) && !isAsked(index, request.useIndex)) return 'excluded_by_user'
  return index.type === winner?.type ? 'rival' : 'unfavored_type'
}

/**
 * Each group that is there comes behind the one before it.
 *
 * @param {Set<string>} kinds
 * @param {number} rivals
 * @returns {Record<string, number>}
 */
function ranksOf (kinds, rivals) {
  const unfavored = Math.max(1, rivals)
  const excluded = unfavored + (kinds.has('unfavored_type') ? 1 : 0)
  const notUsable = excluded + (kinds.has('excluded_by_user') ? 1 : 0)
  const partial = notUsable + (kinds.has('not_usable') ? 1 : 0)
  const mismatched = partial + (kinds.has('is_partial') ? 1 : 0)
  return { unfavored_type: unfavored, excluded_by_user: excluded, not_usable: notUsable, is_partial: partial, scope_mismatch: mismatched }
}

/**
 * @param {IndexDescriptor} index
 * @param {IndexDescriptor | undefined} winner
 * @param {IndexDescriptor[]} rivals
 * @param {Asked} request
 */
function whyNot (index, winner, rivals, request) {
  if (winner !== undefined && rivals.indexOf(index) < rivals.indexOf(winner)) return 'more_rows'
  const { indexable } = request
  const bounded = new Set(indexable.map(path => path.join('\0')))
  const at = index.columns.findIndex(column => !bounded.has(column.join('\0')))
  if (bounded.size > (at === -1 ? index.columns.length : at)) return 'less_overlap'
  return index.columns.length > (winner?.columns.length ?? 0) ? 'too_many_fields' : 'alphabetically_comes_after'
}

/**
 * By design document and name; all documents first.
 *
 * @param {IndexDescriptor} a
 * @param {IndexDescriptor} b
 */
function compareNames (a, b) {
  const [first, second] = [a, b].map(({ ddoc, name }) => ddoc === null ? '' : `${ddoc}\0${name}`)
  return first < second ? -1 : first > second ? 1 : 0
}

module.exports = { compareNames, explainCandidates }
