'use strict'

const { comparator, keysOf, valueOf } = require('./order')
const { Top } = require('./top')

/**
 * @typedef {import('./order').Hit} Hit
 * @typedef {import('./order').Sort} Sort
 * @typedef {{ field: string, limit: number, sort: Sort[] }} Grouping limit: hits of each; sort: of the groups, by the best of each
 * @typedef {{ by: any, total: number, best: any[], hits: Hit[] }} Group best: keys that the group is ordered by
 */

/** Groups hits by a field. A document without the field is in the group null. */
class Groups {
  #grouping
  #sorts
  #compare
  #compareHits
  /** @type {Map<any, { best: any[], total: number, top: Top }>} */
  #groups = new Map()

  /** @param {Grouping} grouping @param {Sort[]} sorts of the hits of a group */
  constructor (grouping, sorts) {
    this.#grouping = grouping
    this.#sorts = sorts
    this.#compare = comparator(grouping.sort)
    this.#compareHits = comparator(sorts)
  }

  /** @param {number} doc @param {number} score @param {import('../index/reader').DocumentRecord} record */
  add (doc, score, record) {
    const { field, limit, sort } = this.#grouping
    const by = valueOf(record.values, field) ?? null
    const best = keysOf(sort, doc, score, record)
    let group = this.#groups.get(by)
    if (group === undefined) this.#groups.set(by, group = { best, total: 0, top: new Top(limit, this.#compareHits) })
    else if (this.#compare(best, group.best) < 0) group.best = best
    group.total++
    group.top.offer({ doc, score, record, keys: keysOf(this.#sorts, doc, score, record) })
  }

  /** @param {number} limit groups @returns {Group[]} */
  first (limit) {
    return [...this.#groups].sort(([, a], [, b]) => this.#compare(a.best, b.best)).slice(0, limit)
      .map(([by, { best, total, top }]) => ({ by, total, best, hits: top.hits }))
  }
}

module.exports = { Groups }
