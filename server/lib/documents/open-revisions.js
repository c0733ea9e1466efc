'use strict'

const { toJson } = require('@potoroo/document-store')
const { createError } = require('@potoroo/errors')
const { createBoundary } = require('@potoroo/multipart')
const { accepts } = require('../http/accept')
const { jsonType } = require('../http/response')
const { ResponseWriter } = require('../http/response-writer')
const { attachmentsToSend, relatedOf } = require('./following')
const { readOptions } = require('./query')

/** @typedef {import('../dispatch/request').DatabaseRequest} DatabaseRequest */
/** @typedef {import('../dispatch/request').PotorooResponse} PotorooResponse */
/** @typedef {import('@potoroo/document-store').Document} Document */
/** @typedef {import('@potoroo/document-store').GetOptions} GetOptions */

/**
 * `GET /{db}/{doc}?open_revs=all` or `=["1-…"]`: multipart/mixed unless the client wants JSON.
 *
 * @param {DatabaseRequest} req
 * @param {PotorooResponse} res
 */
async function sendOpenRevisions (req, res) {
  if (accepts(req, 'multipart/mixed')) return sendMixed(req, res)
  const results = await openRevisions(req, readOptions(req.args))
  const out = new ResponseWriter(res, { 'Content-Type': jsonType(req), 'Cache-Control': 'must-revalidate' })
  let separator = '['
  for (const { ok, missing } of /** @type {Array<{ ok?: Document, missing?: string }>} */ (results)) {
    out.push(ok === undefined ? `${separator}{"missing":${JSON.stringify(missing)}}` : `${separator}{"ok":${toJson(ok, { encodings: req.args.att_encoding_info })}}`)
    separator = ','
    if (out.full) await out.flush()
  }
  out.push(separator === '[' ? '[]\n' : ']\n')
  out.end()
}

/** @param {DatabaseRequest} req @param {GetOptions} options */
async function openRevisions ({ database, params, args }, options) {
  const results = await database.openRevs(params.doc, args.open_revs, /** @type {GetOptions} */ ({ ...options, rev: undefined }))
  if (results.length === 0 && args.open_revs === 'all') throw createError('MISSING')
  return results
}

/**
 * The contents of attachments always come along here, after `atts_since` where that is given.
 *
 * @param {DatabaseRequest} req
 * @param {PotorooResponse} res
 */
async function sendMixed (req, res) {
  const options = { ...readOptions(req.args), attachments: false, attsSince: undefined, revs: true }
  const results = await openRevisions(req, options)
  const outer = createBoundary()
  const out = new ResponseWriter(res, { 'Content-Type': `multipart/mixed; boundary="${outer}"` })
  out.push(`--${outer}`)
  for (const { ok, missing } of /** @type {Array<{ ok?: Document, missing?: string }>} */ (results)) {
    if (out.closed) return
    if (ok === undefined) out.push(`\r\nContent-Type: application/json; error="true"\r\n\r\n{"missing":${JSON.stringify(missing)}}`)
    else await writePart(out, req, ok, req.args.atts_since)
    out.push(`\r\n--${outer}`)
    if (out.full) await out.flush()
  }
  out.push('--')
  out.end()
}

/**
 * One revision as a part, with or without attachments of its own.
 *
 * @param {ResponseWriter} out
 * @param {DatabaseRequest} req
 * @param {import('@potoroo/document-store').Document} document read with `revs`
 * @param {string[] | undefined} since
 * @param {string} [headers] lines before Content-Type
 */
async function writePart (out, req, document, since, headers = '') {
  const following = attachmentsToSend(document, since)
  if (!req.args.revs) document.revisions = undefined
  if (following.size === 0) {
    out.push(`\r\nContent-Type: application/json\r\n\r\n${toJson(document, { encodings: req.args.att_encoding_info })}`)
    return
  }
  const related = await relatedOf(req.database, document, following)
  out.push(`${headers}\r\nContent-Type: ${related.contentType}\r\n\r\n`)
  await out.pipe(related)
}

module.exports = { sendOpenRevisions, writePart }
