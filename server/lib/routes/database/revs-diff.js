'use strict'

const { requireRevisionsById } = require('../../documents/revisions-by-id')
const { jsonType } = require('../../http/response')
const { ResponseWriter } = require('../../http/response-writer')

/** @typedef {import('../../dispatch/request').DatabaseRequest} DatabaseRequest */
/** @typedef {import('../../dispatch/request').PotorooRequest} PotorooRequest */
/** @typedef {import('../../dispatch/request').PotorooResponse} PotorooResponse */

/** Revisions whose text is made at once. */
const SLICE = 1000

/**
 * `POST /{db}/_revs_diff` → `{ id: { missing, possible_ancestors? } }`
 *
 * @param {DatabaseRequest} req
 * @param {PotorooResponse} res
 */
async function revsDiff (req, res) {
  const request = await requireRevisionsById(req.body)
  const out = start(req, res)
  let separator = '{'
  await req.database.revsDiff(request, async found => {
    for (const [id, { missing, possible_ancestors: ancestors }] of found) {
      out.push(`${separator}${JSON.stringify(id)}:{"missing":`)
      separator = ','
      const written = writeList(out, missing)
      if (written !== undefined) await written
      out.push(ancestors === undefined ? '}' : `,"possible_ancestors":${JSON.stringify(ancestors)}}`)
    }
    return !out.closed
  })
  out.push(separator === '{' ? '{}\n' : '}\n')
  out.end()
}

/**
 * `POST /{db}/_missing_revs` → `{ missing_revs: { id: [rev] } }`
 *
 * @param {DatabaseRequest} req
 * @param {PotorooResponse} res
 */
async function missingRevs (req, res) {
  const request = await requireRevisionsById(req.body)
  const out = start(req, res)
  let separator = ''
  out.push('{"missing_revs":{')
  await req.database.revsDiff(request, async found => {
    for (const [id, { missing }] of found) {
      out.push(`${separator}${JSON.stringify(id)}:`)
      separator = ','
      const written = writeList(out, missing)
      if (written !== undefined) await written
    }
    return !out.closed
  })
  out.push('}}\n')
  out.end()
}

/** @param {PotorooRequest} req @param {PotorooResponse} res */
function start (req, res) {
  return new ResponseWriter(res, { 'Content-Type': jsonType(req), 'Cache-Control': 'must-revalidate' })
}

/** @param {ResponseWriter} out @param {any[]} list @returns {void | Promise<void>} a promise where the client is to read first */
function writeList (out, list) {
  if (list.length > SLICE || out.full) return writeLongList(out, list)
  out.push(JSON.stringify(list))
}

/** @param {ResponseWriter} out @param {any[]} list */
async function writeLongList (out, list) {
  out.push('[')
  for (let at = 0; at < list.length; at += SLICE) {
    out.push((at === 0 ? '' : ',') + JSON.stringify(list.slice(at, at + SLICE)).slice(1, -1))
    if (out.full) await out.flush()
  }
  out.push(']')
}

/** @type {import('../../dispatch/route-table').Route[]} */
module.exports = [
  { method: 'POST', path: '/:db/_revs_diff', who: 'member', byDocument: true, whoIn: { replications: 'member' }, reads: true, body: 'typed-json', threads: { parameters: [] }, anywhere: true, shards: 'revsDiff', handler: revsDiff },
  { method: 'POST', path: '/:db/_missing_revs', who: 'member', byDocument: true, whoIn: { replications: 'member' }, reads: true, body: 'typed-json', threads: { parameters: [] }, anywhere: true, shards: 'missingRevs', handler: missingRevs }
]
