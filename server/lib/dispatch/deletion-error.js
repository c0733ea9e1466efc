'use strict'

const { CouchError, createError } = require('@potoroo/errors')

/** @typedef {import('./request').PotorooRequest} PotorooRequest */

/**
 * Returns the error of a request whose database was deleted under it: a database that is closed, and all the
 * faults which that leads to, are to the client one that does not exist; nobody is told so before the one who
 * deletes it.
 *
 * @param {PotorooRequest} req
 * @param {any} error
 * @returns {Promise<any>} the error, or not_found
 */
async function unlessDeleted (req, error) {
  const { params, service } = req
  const name = params?.db
  if (name === undefined || service.closing.aborted || !mayComeOfIt(error)) return error
  await service.databases.settled(name)
  // Another server may have it now: who asks again comes to that one.
  if (service.cluster !== null && service.databases.has(name)) return error.code === 'CLOSED' || req.database?.closed === true ? createError('NOT_OWNER', { cause: error }) : error
  const isDeleted = req.database?.closed === true || !service.databases.has(name)
  return isDeleted ? createError('NO_DATABASE', { cause: error }) : error
}

/** Codes of what the deletion of a database leads to. */
const FAULTS = new Set(['CLOSED', 'INTERNAL', 'PEER_FAILED'])

/** @param {any} error */
function mayComeOfIt (error) { return !(error instanceof CouchError) || FAULTS.has(error.code) }

module.exports = { unlessDeleted }
