'use strict'

const { Readable } = require('node:stream')
const { askInside } = require('../passing/inner-request')

/** @typedef {import('../auth/authenticator').User} User */

/**
 * Asks databases of several shards for the replicator, as the user who asked: by requests, which the coordinator answers.
 *
 * @param {import('../service/service').Service} service
 */
function shardedDatabases (service) {
  return {
    /** @param {string} name @param {User} user */
    requestsOf (name, user) {
      if (service.databases.sharded(name) === undefined) return undefined
      return (/** @type {any} */ request) => exchange(service.handle, request, user)
    }
  }
}

/**
 * @param {(req: any, res: any) => unknown} handle
 * @param {{ path: string, method: string, headers: Record<string, string | number>, body?: any, signal: AbortSignal }} request
 * @param {User} user
 */
async function exchange (handle, { path, method, headers, body, signal }, user) {
  const named = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]))
  const answer = await askInside(handle, { method, url: path, headers: named, body, signal, extra: { user, internal: true } })
  const bytes = Readable.from(read(answer))
  bytes.once('close', () => answer.close())
  bytes.on('error', () => {})
  return { statusCode: answer.status, headers: answer.headers, body: bytes }
}

/** @param {import('../passing/inner-answer').InnerAnswer} answer */
async function * read (answer) {
  for (let chunk = await answer.read(); chunk !== null; chunk = await answer.read()) yield chunk
}

module.exports = { shardedDatabases }
