'use strict'

/**
 * Why a replication does not go on, in CouchDB's words. It crashes the job, which the scheduler
 * starts again later.
 */
class ReplicationError extends Error {
  /**
   * @param {string} code what CouchDB calls it: `db_not_found`, `unauthorized`, …
   * @param {string} reason without credentials
   * @param {unknown} [cause]
   */
  constructor (code, reason, cause) {
    super(reason, cause === undefined ? undefined : { cause })
    this.code = code
    this.reason = reason
    /** The status of the peer's answer, if there was one. @type {number | undefined} */
    this.answered = undefined
  }

  get name () { return 'ReplicationError' }
}

/** Whoever asks may not have this host asked: it is not tried again. */
class HostRefused extends ReplicationError {
  /** @param {string} reason */
  constructor (reason) {
    super('forbidden', reason)
  }
}

/**
 * One side is not there, or not for us.
 *
 * @param {string} shown
 */
function notFound (shown) { return new ReplicationError('db_not_found', `could not open ${shown}`) }

/**
 * The peer did not answer as it should.
 *
 * @param {string} code
 * @param {{ status: number, json?: any }} answer
 * @param {string} [reason]
 */
function badAnswer (code, { status, json }, reason = `${status} ${json?.error}: ${json?.reason}`) {
  return Object.assign(new ReplicationError(code, reason), { answered: status })
}

/** @param {string} shown */
function unauthorized (shown) { return new ReplicationError('unauthorized', `unauthorized to access or create database ${shown}`) }

/**
 * Says what went wrong, as far as others may know it: errors of sockets and of databases here say it in a few words.
 *
 * @param {any} error
 */
function reasonOf (error) {
  return String(error?.reason ?? error?.message ?? error).slice(0, 500)
}

/**
 * As CouchDB shows why a job crashed: `db_not_found: could not open …`.
 *
 * @param {unknown} error
 */
function describeFailure (error) {
  return error instanceof ReplicationError ? `${error.code}: ${error.reason}` : reasonOf(error)
}

/**
 * @param {any} error
 * @returns {ReplicationError} any error as one
 */
function toFailure (error) {
  if (error instanceof ReplicationError) return error
  // A database here was deleted meanwhile: one elsewhere answers that it is not there.
  if (error?.code === 'CLOSED') return new ReplicationError('db_not_found', 'the database was deleted or closed', error)
  return new ReplicationError(typeof error?.error === 'string' ? error.error : 'replication_error', reasonOf(error), error)
}

module.exports = { HostRefused, ReplicationError, badAnswer, notFound, unauthorized, describeFailure, reasonOf, toFailure }
