'use strict'

const { compareUtf8 } = require('@potoroo/document-store')
const { packBookmark } = require('@potoroo/indexes')

/**
 * @typedef {import('@potoroo/indexes').SearchResult} SearchResult
 * @typedef {import('@potoroo/indexes').SearchHit} SearchHit
 * @typedef {import('@potoroo/indexes').SearchArgs} SearchArgs
 */

/** A bookmark before anything was found. */
const NOTHING = 'nil'

/** @param {any[] | undefined} after */
function bookmarkOf (after) { return after === undefined ? NOTHING : packBookmark(after) }

/** @param {SearchHit} hit @returns {string} JSON */
function rowText ({ id, keys, fields, highlights, doc }) {
  const row = JSON.stringify({ id, order: keys, fields, highlights })
  return doc === undefined ? row : `${row.slice(0, -1)},"doc":${doc}}`
}

/** @param {SearchHit[]} hits */
function rowsText (hits) { return `[${hits.map(rowText).join()}]` }

/**
 * The answer of `_search`.
 *
 * @param {SearchResult} result
 * @returns {string} JSON
 */
function searchText ({ total, hits, after, counts, ranges, groups }) {
  if (groups !== undefined) {
    const each = groups.map(({ by, total, hits }) => `{"by":${JSON.stringify(by)},"total_rows":${total},"rows":${rowsText(hits)}}`)
    return `{"total_rows":${total},"groups":[${each.join()}]}\n`
  }
  const facets = Object.entries({ counts, ranges }).filter(([, value]) => value !== undefined).map(([name, value]) => `,${JSON.stringify(name)}:${JSON.stringify(value)}`)
  return `{"total_rows":${total},"bookmark":${JSON.stringify(bookmarkOf(after))},"rows":${rowsText(hits)}${facets.join('')}}\n`
}

/** Names the type of what hits are ordered by, as Nouveau does. @param {any} value */
function nouveauOrder (value) {
  if (typeof value === 'string') return { '@type': 'string', value }
  return value === null ? { '@type': 'null', value } : { '@type': 'double', value }
}

/** @param {SearchHit} hit @param {SearchResult['sort']} sort @returns {string} JSON */
function hitText ({ id, keys, fields, doc }, sort) {
  const order = keys.slice(0, -1).map((value, i) => sort?.[i].by === 'score' ? { '@type': 'float', value } : nouveauOrder(value))
  const hit = JSON.stringify({ order, id, fields })
  return doc === undefined ? hit : `${hit.slice(0, -1)},"doc":${doc}}`
}

/** The most frequent values; of those that are as frequent the first by their bytes. @param {Record<string, Record<string, number>> | undefined} facets @param {number} most */
function mostOf (facets, most) {
  if (facets === undefined) return null
  return Object.fromEntries(Object.entries(facets).map(([field, values]) => [field, Object.fromEntries(Object.entries(values).sort(([a, count], [b, other]) => other - count || compareUtf8(a, b)).slice(0, most))]))
}

/**
 * The answer of `_nouveau`.
 *
 * @param {SearchResult} result
 * @param {number} topN values of each facet that are told
 * @returns {string} JSON
 */
function nouveauText ({ total, hits, after, sort, counts, ranges, latency }, topN) {
  const head = JSON.stringify({ total_hits_relation: 'EQUAL_TO', total_hits: total, ranges: mostOf(ranges, topN), counts: mostOf(counts, topN), bookmark: after === undefined ? null : packBookmark(after), update_latency: latency })
  return `${head.slice(0, -1)},"hits":[${hits.map(hit => hitText(hit, sort)).join()}]}\n`
}

module.exports = { nouveauText, searchText }
