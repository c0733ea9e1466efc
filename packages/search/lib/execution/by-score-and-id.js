'use strict'

const { comparator, keysOf } = require('./order')
const { Top } = require('./top')
const { ENTRY } = require('./work')

/**
 * Hits by score, and those of one score by id. Ids are in the records of documents: they are read of those documents alone that may be among the first.
 *
 * @typedef {import('./order').Sort} Sort
 * @typedef {import('./matches').Matches} Matches
 * @typedef {import('../index/reader').IndexReader} IndexReader
 * @typedef {import('./work').Work} Work
 * @typedef {{ sort: Sort[], limit: number, after?: any[] }} Order
 */

const PAGE = 256
/** How many ids are gone through in the time of a record. */
const RECORD = 10

/** @param {Sort[]} sort */
function isByScoreAndId (sort) { return sort.length === 2 && sort[0].by === 'score' && sort[1].by === 'id' && !sort[1].descending }

/**
 * Offers the documents that may be among the first of an order.
 *
 * @param {IndexReader} reader
 * @param {Matches} matches
 * @param {Order} order
 * @param {Top} top
 * @param {Work} work
 */
async function offerByScoreAndId (reader, matches, order, top, work) {
  if (order.limit === 0) return
  const { above, last, atBookmark } = await divide(matches, order, work)
  const offer = (/** @type {number} */ doc, /** @type {any} */ record) => {
    const score = scoreOf(matches, doc)
    top.offer({ doc, score, keys: keysOf(order.sort, doc, score, record) })
  }
  await eachRecord(reader, above, work, offer)
  await firstById(reader, atBookmark, { from: order.after?.[1] ?? '', limit: order.limit }, work, offer)
  await firstById(reader, last, { from: '', limit: order.limit }, work, offer)
}

/**
 * Divides the documents behind the bookmark: those of the best scores, those of the last score that is needed, and those of the bookmark's score.
 *
 * @param {Matches} matches
 * @param {Order} order
 * @param {Work} work
 */
async function divide ({ docs, scores, length }, { sort, limit, after }, work) {
  const [{ descending }] = sort
  const top = new Top(limit, comparator([sort[0]]))
  const isBehind = (/** @type {number} */ score) => after === undefined || (descending ? score < after[0] : score > after[0])
  for (let i = 0; i < length; i++) {
    if (isBehind(scores[i])) top.offer({ doc: docs[i], score: scores[i], keys: [scores[i], docs[i]] })
    if (i % 1024 === 1023) await work.spend(0)
  }
  const worst = top.worst?.[0]
  const last = []
  const atBookmark = []
  for (let i = 0; i < length; i++) {
    if (scores[i] === worst) last.push(docs[i])
    if (after !== undefined && scores[i] === after[0]) atBookmark.push(docs[i])
    if (i % 1024 === 1023) await work.spend(0)
  }
  return { above: top.hits.filter(({ score }) => score !== worst).map(({ doc }) => doc), last, atBookmark }
}

/** @param {Matches} matches @param {number} doc */
function scoreOf ({ docs, scores, length }, doc) { return scores[placeOf(docs.subarray(0, length), doc)] }

/** @param {Float64Array | number[]} docs ascending @param {number} doc @returns {number} -1: it is not there */
function placeOf (docs, doc) {
  let low = 0
  let high = docs.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (docs[middle] < doc) low = middle + 1
    else high = middle
  }
  return docs[low] === doc ? low : -1
}

/**
 * @param {IndexReader} reader
 * @param {number[]} docs
 * @param {Work} work
 * @param {(doc: number, record: import('../index/reader').DocumentRecord) => void} take
 */
async function eachRecord (reader, docs, work, take) {
  for (let at = 0; at < docs.length; at += PAGE) {
    const some = docs.slice(at, at + PAGE)
    const records = await reader.records(some)
    some.forEach((doc, i) => take(doc, records[i]))
    await work.spend(ENTRY * some.length)
  }
}

/** How many ids come before as many as are wanted of some, where they are anywhere. @param {number} wanted @param {number} some @param {number} all */
function idsUntil (wanted, some, all) { return all * Math.min(1, wanted / some) }

/**
 * @param {IndexReader} reader
 * @param {number[]} docs ascending
 * @param {{ from: string, limit: number }} wanted
 * @param {Work} work
 * @param {(doc: number, record: import('../index/reader').DocumentRecord) => void} take
 */
async function firstById (reader, docs, { from, limit }, work, take) {
  if (docs.length <= PAGE || docs.length * RECORD <= idsUntil(limit, docs.length, reader.documents)) return eachRecord(reader, docs, work, take)
  /** @type {number[]} */
  const first = []
  for await (const page of reader.ids(from)) {
    for (const { id, doc } of page) if (id !== from && placeOf(docs, doc) !== -1) first.push(doc)
    await work.spend(ENTRY * page.length)
    if (first.length >= limit) break
  }
  await eachRecord(reader, first.slice(0, limit), work, take)
}

module.exports = { isByScoreAndId, offerByScoreAndId }
