'use strict'

/** @typedef {import('./request').PotorooRequest} PotorooRequest */

/** Headers that say who asks, from where, and how the connection goes: another request of theirs has the same. */
const KEPT = new Set([
  'authorization', 'connection', 'content-length', 'cookie', 'host', 'origin', 'referer', 'sec-fetch-site', 'transfer-encoding',
  'x-auth-couchdb-roles', 'x-auth-couchdb-token', 'x-auth-couchdb-username', 'x-forwarded-host'
])

/** A handler returns one to have its request routed again, as another one of the same user. */
class Change {
  /**
   * @param {object} change
   * @param {string} change.url path and query
   * @param {string} [change.method]
   * @param {Record<string, string>} [change.headers] that are added, or take the place of others
   * @param {string | Buffer} [change.body] in place of the one that came
   * @param {boolean} [change.inShard] it is about a shard of a database
   */
  constructor ({ url, method, headers, body, inShard }) {
    this.url = url
    this.method = method
    this.headers = headers
    this.body = body
    this.inShard = inShard
  }
}

/**
 * Makes a request another one, of the same user over the same connection, for the dispatcher to route again.
 *
 * @param {PotorooRequest} req
 * @param {Change} change
 */
function reroute (req, { url, method = req.method, headers = {}, body, inShard }) {
  req.forwarded = (req.forwarded ?? 0) + 1
  // It may be about another database, which another server has.
  if (req.internal) /** @type {any} */ (req).passed = undefined
  req.url = url
  req.method = method
  req.inShard = inShard
  req.merging = undefined
  for (const name of Object.keys(headers)) if (!KEPT.has(name.toLowerCase())) req.headers[name.toLowerCase()] = headers[name]
  req.body = req.callback = undefined
  if (body !== undefined) replaceBody(req, typeof body === 'string' ? Buffer.from(body) : body)
}

/** Gives these bytes to every reader of the body: see body.js. @param {PotorooRequest} req @param {Buffer} bytes */
function replaceBody (req, bytes) {
  req.bodyInstead = bytes
  req.takenBody = undefined
  req.headers['content-length'] = String(bytes.length)
  delete req.headers['transfer-encoding']
  delete req.headers['content-encoding']
}

module.exports = { Change, reroute }
