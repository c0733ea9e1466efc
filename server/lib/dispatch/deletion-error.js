'use strict'

const { setTimeout: after } = require('node:timers/promises')
const { CouchError, createError } = require('@potoroo/errors')

/** @typedef {import('./request').PotorooRequest} PotorooRequest */

/** Milliseconds by which a longpoll's 404 is delayed, so that the answer to a DELETE arrives first. */
const LEAD = 250

/**
 * Returns the error of a request: a longpoll hears a moment later that there is no such database. Its client may have
 * deleted it, on another connection and by way of another thread or server, and takes a feed that fails before the
 * deletion is answered for one that is broken.
 *
 * @param {Parameters<typeof unlessDeleted>[0] & { url?: string, search?: string }} req
 * @param {any} error
 * @returns {Promise<any>} the error, or not_found
 */
async function errorOf (req, error) {
  const told = await unlessDeleted(req, error)
  if (told?.code === 'NO_DATABASE' && isLongpoll(req)) await after(LEAD, undefined, { signal: req.service.closing }).catch(() => {})
  return told
}

/** @param {{ url?: string, search?: string }} req */
function isLongpoll ({ url = '', search = '' }) { return url.includes('/_changes') && new URLSearchParams(search).get('feed') === 'longpoll' }

/**
 * Returns the error of a request whose database was deleted under it: a database that is closed, and all the
 * faults which that leads to, are to the client one that does not exist; nobody is told so before it is deleted.
 *
 * @param {Pick<PotorooRequest, 'params' | 'service' | 'makesDatabase'> & { database?: { closed?: boolean } }} req
 * @param {any} error
 * @returns {Promise<any>} the error, or not_found
 * @throws OwnerOnlyError in a thread that has not opened the database, and may not
 */
async function unlessDeleted (req, error) {
  const { params, service, makesDatabase = false } = req
  const name = params?.db
  if (name === undefined || makesDatabase || service.closing.aborted || !mayComeOfIt(error)) return error
  await service.databases.settled(name)
  // Another server may have it now: who asks again comes to that one.
  if (service.cluster !== null && service.databases.has(name)) return error.code === 'CLOSED' || req.database?.closed === true ? createError('NOT_OWNER', { cause: error }) : error
  return isGone(req, name) ? createError('NO_DATABASE', { cause: error }) : error
}

/** @param {{ service: import('../service/request-service').RequestService, database?: { closed?: boolean } }} req @param {string} name */
function isGone ({ database, service }, name) {
  if (database?.closed === true) return true
  try {
    return !service.databases.has(name)
  } catch (error) {
    // A thread loses what it has opened to the owner only where that is being deleted.
    if (database !== undefined) return true
    throw error
  }
}

/** Codes of what the deletion of a database leads to. */
const FAULTS = new Set(['CLOSED', 'INTERNAL', 'PEER_FAILED'])

/** @param {any} error */
function mayComeOfIt (error) { return !(error instanceof CouchError) || FAULTS.has(error.code) }

module.exports = { errorOf, unlessDeleted }
