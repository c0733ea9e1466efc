'use strict'

/** SQLSTATEs of transactions that may simply be tried again. */
const AGAIN = new Set(['40001', '40P01', 'CR000'])

/** SQLSTATEs, whole or by their class, of a database server that is away, or cannot answer now. */
const AWAY = ['08', '25006', '40', '53', '55P03', '55000', '57', 'XX000']

/** SQLSTATEs of a database server that will not let us in, or has not what we need. */
const REFUSED = ['28', '3D', '3F', '42501', '42P01']

/** Node.js's codes of a network that does not get through. */
const NETWORK = /^(E(CONN\w+|PIPE|TIMEDOUT|HOSTUNREACH|HOSTDOWN|NETUNREACH|NETDOWN|AI_AGAIN|ADDRNOTAVAIL|NOENT|NOTFOUND|MFILE|NFILE))$|^ENOTFOUND$/

/**
 * An error of this package's: its text has neither passwords nor URLs.
 *
 * @param {string} code
 * @param {string} message
 * @param {unknown} [cause]
 * @returns {Error & { code: string }}
 */
function failure (code, message, cause) {
  return Object.assign(new Error(message, cause === undefined ? undefined : { cause }), { code })
}

/**
 * An error of PostgreSQL, of the driver, or of the network as abstract-level's.
 *
 * @param {any} error
 * @returns {Error & { code: string }}
 */
function toLevelError (error) {
  const code = String(error?.code ?? '')
  if (code.startsWith('LEVEL_')) return error
  if (code === '53100') return failure('LEVEL_POSTGRES_FULL', 'PostgreSQL has no space left', error)
  if (code === '58030') return failure('LEVEL_IO_ERROR', 'PostgreSQL cannot read or write its disk', error)
  if (code.startsWith('XX00') && code !== 'XX000') return failure('LEVEL_CORRUPTION', `PostgreSQL's data is damaged: ${error.message}`, error)
  if (error?.severity !== undefined && REFUSED.some(start => code.startsWith(start))) return failure('LEVEL_POSTGRES_REFUSED', `PostgreSQL refuses: ${error.message}`, error)
  // A standby says so of a transaction that it cannot begin.
  if (code === '0A000' && /standby|recovery/.test(error.message)) return unavailable(error)
  if (isLost(error) || AWAY.some(start => code.startsWith(start))) return unavailable(error)
  return failure('LEVEL_POSTGRES_ERROR', `PostgreSQL failed: ${error?.message}`, error)
}

/** @param {any} [error] */
function unavailable (error) {
  return failure('LEVEL_UNAVAILABLE', `PostgreSQL is not available: ${error?.message || error?.code}`, error)
}

/**
 * Whether a connection went, or could not be made: what was under way on it may have been done or not.
 *
 * @param {any} error
 */
function isLost (error) {
  if (error?.severity === 'FATAL' || error?.severity === 'PANIC') return true
  const code = String(error?.code ?? '')
  if (code === '40003' || code.startsWith('08')) return true
  // The driver has no codes for its own.
  return NETWORK.test(code) || (error?.severity === undefined && /^(Connection terminated|timeout e|Client has encountered|Client was closed|The server does not support SSL|There was an error establishing an SSL)/.test(error?.message ?? ''))
}

/** @param {any} error */
function isRepeatable (error) { return AGAIN.has(error?.code) }

module.exports = { failure, isLost, isRepeatable, toLevelError, unavailable }
