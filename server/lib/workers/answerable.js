'use strict'

const { segmentsOf } = require('../http/path')
const { forMethod } = require('../dispatch/route-table')
const { table } = require('../dispatch/routes')

/** Headers that may change what a request means. */
const TELLING = ['x-http-method-override', 'last-event-id', 'expect', 'range']

/** @typedef {import('../dispatch/route-table').ThreadParameters} ThreadParameters */

/**
 * Returns what its route says of threads, where a thread may try to answer a request.
 *
 * @param {any} req
 * @param {boolean} isDurableAtOnce whether what is seen in the pool is durable
 * @returns {ThreadParameters | null}
 */
function answerable (req, isDurableAtOnce) {
  const question = req.url.indexOf('?')
  const path = question === -1 ? req.url : req.url.slice(0, question)
  // A URL as it is sent to proxies, `http://host/path`, is not split as it stands.
  if (!path.startsWith('/')) return null
  // System databases have rules of their own.
  if (SYSTEM.test(path)) return null
  for (const name of TELLING) if (req.headers[name] !== undefined) return null
  const threads = threadsOf(req.method, path)
  const { parameters, durable } = threads
  if (mayGiveBack(threads) && !isSmall(req.headers)) return null
  if (parameters === undefined && (durable === undefined || !isDurableAtOnce)) return null
  if (question !== -1 && !areKnown(req.url.slice(question + 1), (parameters ?? []).concat(isDurableAtOnce ? durable ?? [] : []))) return null
  return threads
}

/** Whether the owner may have to answer after a thread has read the body. @param {ThreadParameters} threads */
function mayGiveBack ({ prepares, givesBack }) { return prepares === true || givesBack === true }

/** Bytes of a body that is kept, for the owner to get it if a thread cannot do with it. */
const MOST = 1024 * 1024

/** Whether a body is as it stands, and short. @param {import('node:http').IncomingHttpHeaders} headers */
function isSmall (headers) {
  if (headers['content-encoding'] !== undefined || headers['transfer-encoding'] !== undefined) return false
  return !(Number(headers['content-length']) > MOST) && !/^\s*multipart/i.test(headers['content-type'] ?? '')
}

/** Several slashes count as one. */
const SYSTEM = /^\/+[_%]/

/** @param {string} method @param {string} path @returns {ThreadParameters} */
function threadsOf (method, path) {
  const found = find(path)
  return (found === null ? undefined : forMethod(found.methods, method)?.threads) ?? NONE
}

const NONE = Object.freeze({})

/** @param {string} path */
function find (path) {
  try {
    return table.find(segmentsOf(path))
  } catch {
    return null
  }
}

/** @param {string} search @param {string[]} parameters */
function areKnown (search, parameters) {
  for (const part of search.split(/[&;]/)) if (!parameters.includes(part.split('=', 1)[0])) return false
  return true
}

module.exports = { mayGiveBack, answerable }
