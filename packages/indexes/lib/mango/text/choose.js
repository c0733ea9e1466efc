'use strict'

const { invalidBookmark } = require('../request/find-request')
const { ALL_DOCS } = require('../indexes/index-descriptor')
const { isAsked, isTextSearch } = require('../plan/planner')
const { mangoError } = require('../selector/mango-error')
const { textCandidate } = require('./candidate')

/**
 * @typedef {import('../plan/candidates').Asked} Asked
 * @typedef {import('../plan/candidates').Candidate} Candidate
 * @typedef {import('../plan/planner').Judged} Judged
 * @typedef {import('../request/bookmark').Bookmark} Bookmark
 * @typedef {import('./candidate').TextIndexDescriptor} TextIndexDescriptor
 */

/**
 * Chooses a text index: where the request names it, where it has `$text`, and where no other index would do, as CouchDB.
 *
 * @param {Asked} request
 * @param {Judged} judged of the other indexes
 * @param {TextIndexDescriptor[]} texts
 * @param {Bookmark | null} bookmark
 * @returns {Candidate | null}
 * @throws multiple_text_indexes, invalid_bookmark, bad_request of a query in `$text`
 */
function chooseText (request, judged, texts, bookmark) {
  if (texts.length === 0) return null
  const { node, useIndex, options } = request
  const hasText = isTextSearch(node)
  const isOther = judged.judgements.some(({ index, reasons }) => index !== ALL_DOCS && reasons.length === 0)
  const asked = texts.filter(index => isAsked(index, useIndex))
  if (!hasText && asked.length === 0 && isOther) return null
  const usable = (/** @type {TextIndexDescriptor[]} */ some) => some.map(index => textCandidate(index, request, options.partition)).filter(candidate => candidate !== null)
  const named = usable(asked)
  const found = ofFirstType(named.length > 0 ? named : usable(texts.filter(({ partial }) => partial === null)))
  if (found.length === 0 || (named.length === 0 && useIndex.length > 0 && !hasText && judged.asked)) return null
  if (found.length > 1) throw mangoError(`multiple_${textType(found[0])}_indexes`, 'You must specify an index with the `use_index` parameter.')
  if (bookmark !== null && (bookmark.print !== found[0].print || !found[0].ranking?.accepts(bookmark.key))) throw invalidBookmark(request.bookmark)
  return found[0]
}

/** CouchDB looks at those of the type `text` first, and asks then that it be one. @param {Candidate[]} candidates */
function ofFirstType (candidates) {
  const texts = candidates.filter(candidate => textType(candidate) === 'text')
  return texts.length > 0 ? texts : candidates
}

/** @param {Candidate} candidate */
function textType ({ indexes: [{ type }] }) { return type }

/**
 * Judges a text index as the planner does others.
 *
 * @param {TextIndexDescriptor} index
 * @param {Asked} request
 * @returns {import('../plan/planner').Judgement}
 */
function judgeText (index, request) {
  const { node, useIndex, options } = request
  const reasons = []
  if (index.partial !== null && !isAsked(index, useIndex)) reasons.push('is_partial')
  if (node.op === 'any') reasons.push('empty_selector')
  else if (textCandidate(index, request, options.partition) === null) reasons.push('field_mismatch')
  return { index, reasons, candidate: null, beyond: null }
}

module.exports = { chooseText, judgeText }
