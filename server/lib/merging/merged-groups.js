'use strict'

/** @typedef {import('./row-text').Row} Row */

/** Groups that are reduced again at once. */
const PAGE = 256

/** One group: the text of its row where it is of one shard; reductions of the others. @typedef {{ key: string, texts: string[] }} Group */

/**
 * Joins the groups of shards that have the same key.
 *
 * @param {import('./merge').Merge<Row>} merge
 * @param {import('@potoroo/indexes').MergedView} merged
 * @param {(a: Row, b: Row) => number} compare
 * @param {number} limit of groups that are wanted
 * @returns {AsyncGenerator<string>} rows
 */
async function * groupsOf (merge, merged, compare, limit) {
  let left = limit
  while (left > 0) {
    const page = []
    while (page.length < PAGE && page.length < left) {
      const group = await nextGroup(merge, compare)
      if (group === null) break
      page.push(group)
    }
    if (page.length === 0) return
    yield * await reduced(page, merged)
    left -= page.length
  }
}

/** @param {import('./merge').Merge<Row>} merge @param {(a: Row, b: Row) => number} compare @returns {Promise<Group | null>} */
async function nextGroup (merge, compare) {
  const first = await merge.next()
  if (first === null) return null
  const { text, row } = first
  const texts = [text]
  for (let other = merge.peek(); other !== undefined && compare(row, other.row) === 0; other = merge.peek()) {
    texts.push(other.text)
    await merge.next()
  }
  return { key: text.slice(0, row.rest), texts }
}

/** @param {Group[]} page @param {import('@potoroo/indexes').MergedView} merged @returns {Promise<string[]>} */
async function reduced (page, merged) {
  const several = page.filter(({ texts }) => texts.length > 1).map(({ texts }) => texts.map(text => JSON.parse(text)))
  // A reduction that failed in a shard has failed.
  const failures = several.map(rows => rows.find(row => row.error !== undefined))
  const values = several.length === 0 ? [] : await merged.rereduce(several.filter((_, i) => failures[i] === undefined).map(rows => rows.map(({ value }) => value)))
  let [next, nextValue] = [0, 0]
  return page.map(({ key, texts }) => {
    if (texts.length === 1) return texts[0]
    const { value, error, reason } = failures[next++] ?? values[nextValue++]
    return error === undefined ? `${key},"value":${JSON.stringify(value)}}` : `${key},"error":${JSON.stringify(error)},"reason":${JSON.stringify(reason)}}`
  })
}

module.exports = { groupsOf }
