'use strict'

const { jsonType, sendJsonText } = require('../http/response')
const { ResponseWriter } = require('../http/response-writer')

/** @typedef {import('../dispatch/request').PotorooRequest} PotorooRequest */
/** @typedef {import('../dispatch/request').PotorooResponse} PotorooResponse */

/** Results that are answered in one piece. */
const FEW = 1000

/** Answers a write of several documents. @param {PotorooRequest} req @param {PotorooResponse} res @param {number} status @param {any[]} results */
async function sendResults (req, res, status, results) {
  if (results.length > FEW) await sendMany(req, res, status, results)
  else sendJsonText(res, status, `[${results.map(status === 202 ? toAcceptedRow : toRow).join(',')}]\n`)
}

/** @param {PotorooRequest} req @param {PotorooResponse} res @param {number} status @param {any[]} results */
async function sendMany (req, res, status, results) {
  res.statusCode = status
  const write = status === 202 ? toAcceptedRow : toRow
  const out = new ResponseWriter(res, { 'Content-Type': jsonType(req), 'Cache-Control': 'must-revalidate' })
  for (let i = 0; i < results.length && !out.closed; i++) {
    out.push((i === 0 ? '[' : ',') + write(results[i]))
    if (out.full) await out.flush()
  }
  out.push(']\n')
  out.end()
}

/**
 * The same of results that come in parts. Nothing asks for more once the client has gone.
 *
 * @param {PotorooRequest} req
 * @param {PotorooResponse} res
 * @param {number} status
 * @param {AsyncIterable<any[]>} parts
 */
async function sendParts (req, res, status, parts) {
  res.statusCode = status
  const out = new ResponseWriter(res, { 'Content-Type': jsonType(req), 'Cache-Control': 'must-revalidate' })
  let before = '['
  for await (const results of parts) {
    for (const result of results) {
      out.push(before + toRow(result))
      before = ','
    }
    await out.pause()
    if (out.closed) return
  }
  out.push(before === '[' ? '[]\n' : ']\n')
  out.end()
}

/** @param {any} result */
function toRow (result) {
  if (result.error === undefined) return `{"ok":true,"id":${JSON.stringify(result.id)},"rev":"${result.rev}"}`
  const { id, rev, error, reason } = result
  return JSON.stringify({ id, rev, error, reason })
}

/** A document that is in fewer copies than are wanted says so. @param {any} result */
function toAcceptedRow (result) {
  return result.error === undefined ? `${toRow(result).slice(0, -1)},"accepted":true}` : toRow(result)
}

module.exports = { sendMany, sendParts, sendResults }
