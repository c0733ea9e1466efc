'use strict'

const { withDocuments } = require('./row-documents')
const { snapshotByPrincipal, snapshotFor } = require('./view-snapshot')
const { ViewResult, pagesOf } = require('./view-result')

/**
 * @typedef {import('@potoroo/document-store').MemberStore} MemberStore
 * @typedef {import('../rows/key-range').KeyRange} KeyRange
 * @typedef {import('../index/index-snapshot').IndexSnapshot} IndexSnapshot
 * @typedef {import('./group').Group} Group
 * @typedef {import('./named-view').View} View
 * @typedef {import('./view-options').Ranges} Ranges
 * @typedef {import('./view-options').Plan} ViewPlan
 * @typedef {import('./view-result').MappedRow} MappedRow
 */

/** Rows of several ranges that make a page. */
const PAGE = 256

/** Rows that are read at once. */
const FEW = 32

/**
 * @param {Group} group
 * @param {View} view
 * @param {ViewPlan} plan
 * @param {MemberStore | undefined} reader
 */
async function mappedByPrincipal (group, view, plan, reader) {
  await group.rows.prepareSums(view.number)
  const snapshot = /** @type {IndexSnapshot} */ (await snapshotByPrincipal(group, view, plan, reader))
  try {
    const totalRows = await snapshot.count(view.number)
    const { low, high, descending } = plan.ranges.at(0) ?? { descending: false }
    const edge = descending ? high : low
    const before = edge === undefined ? 0 : await snapshot.count(view.number, descending ? { low: high } : { high: low })
    const pages = mapRows(view, plan.ranges, plan, snapshot)
    // The sequence tells what others write.
    const updateSeq = reader === undefined ? snapshot.state.seq : undefined
    const offset = Math.min(before + plan.skip, totalRows)
    return new ViewResult({ totalRows, offset, updateSeq }, plan.includeDocs ? withDocuments(reader ?? group.database, pages, plan.reads) : pages, snapshot.close)
  } catch (error) {
    await snapshot.close()
    throw error
  }
}

/**
 * The rows of one key, or few of a range, where the level reads them at once: nothing can change meanwhile.
 *
 * @param {Group} group
 * @param {View} view
 * @param {ViewPlan} plan
 * @returns {ViewResult | undefined} undefined: they are to be read in a snapshot
 */
function mappedNow ({ database, index, rows }, view, { ranges, start, end, skip, limit, update, partition, includeDocs, reads }) {
  const range = ranges.length === 1 ? ranges.at(0) : undefined
  const isShort = skip + limit <= FEW || (start !== undefined && start === end)
  if (range === undefined || !isShort || limit === 0 || partition !== '' || (update === true && index.isBehind)) return undefined
  const few = rows.fewTexts(view.number, range, skip + limit)
  const before = few === undefined ? undefined : view.offsets.now(rows, range)
  if (few === undefined || before === undefined) return undefined
  const { seq: updateSeq, counts } = rows.state
  const totalRows = counts[view.number]
  const pages = pagesOf(skip === 0 ? few : few.slice(skip))
  return new ViewResult({ totalRows, offset: Math.min(before + skip, totalRows), updateSeq }, includeDocs ? withDocuments(database, pages, reads) : pages, async () => {})
}

/** @param {Group} group @param {View} view @param {ViewPlan} plan */
async function mapped ({ database, index, rows }, view, plan) {
  await rows.prepareSums(view.number)
  return mappedIn(await snapshotFor(index, plan), database, view, plan)
}

/**
 * The rows of a moment, whose snapshot is closed with the answer.
 *
 * @param {IndexSnapshot} snapshot
 * @param {Pick<import('@potoroo/document-store').DocumentStore, 'bulkGet'>} database
 * @param {View} view
 * @param {ViewPlan} plan
 */
async function mappedIn (snapshot, database, view, plan) {
  try {
    const { ranges } = plan
    const { seq, counts } = snapshot.state
    const totalRows = counts[view.number]
    const offset = Math.min(await countBefore(view, ranges, snapshot) + plan.skip, totalRows)
    const only = ranges.length === 1 ? ranges.at(0) : undefined
    const pages = only !== undefined ? snapshot.texts(view.number, only, plan.limit, plan.skip) : mapRows(view, ranges, plan, snapshot)
    return new ViewResult({ totalRows, offset, updateSeq: seq }, plan.includeDocs ? withDocuments(database, pages, plan.reads) : pages, snapshot.close)
  } catch (error) {
    await snapshot.close()
    throw error
  }
}

/**
 * Counts the rows before the first row; before the last range, if no range has rows.
 *
 * @param {View} view
 * @param {Ranges} ranges
 * @param {IndexSnapshot} snapshot
 */
async function countBefore (view, ranges, snapshot) {
  let first = ranges.at(-1)
  for (const range of ranges.length === 1 ? [] : ranges) {
    if (await isEmpty(view, range, snapshot)) continue
    first = range
    break
  }
  return first === undefined ? 0 : view.offsets.of(snapshot, first)
}

/** @param {View} view @param {KeyRange} range @param {IndexSnapshot} snapshot */
async function isEmpty (view, range, snapshot) {
  // eslint-disable-next-line no-unreachable-loop -- one page answers it
  for await (const page of snapshot.texts(view.number, range, 1)) return page.length === 0
  return true
}

/**
 * Leaves out whole ranges where they are counted at once, and otherwise reads rows that are skipped. Short ranges
 * share a page.
 *
 * @param {View} view
 * @param {Ranges} ranges
 * @param {Pick<ViewPlan, 'skip' | 'limit'>} plan
 * @param {IndexSnapshot} snapshot
 * @returns {AsyncGenerator<MappedRow[]>}
 */
async function * mapRows (view, ranges, { skip, limit }, snapshot) {
  let page = /** @type {MappedRow[]} */ ([])
  let left = limit
  for (const range of ranges) {
    if (left <= 0) break
    const count = skip > 0 ? snapshot.tellCount(view.number, range) : undefined
    if (count !== undefined && count <= skip) {
      skip -= count
      continue
    }
    for await (const found of snapshot.texts(view.number, range, skip + left)) {
      const skipped = Math.min(skip, found.length)
      skip -= skipped
      const wanted = skipped === 0 && found.length <= left ? found : found.slice(skipped, skipped + left)
      left -= wanted.length
      page = page.length === 0 ? wanted : page.concat(wanted)
      if (page.length < PAGE && ranges.length > 1) continue
      if (page.length > 0) yield page
      page = []
    }
  }
  if (page.length > 0) yield page
}

module.exports = { mapped, mappedByPrincipal, mappedIn, mappedNow }
