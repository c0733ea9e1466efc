'use strict'

/**
 * The error of a database that does not open, with its reason in the message: of a level's own
 * error ("Database failed to open") only the cause says it, which many programs do not print.
 *
 * @param {string} name of the database
 * @param {any} error
 * @returns {any} with the code of its cause, which says more, and the `cause`
 */
function openError (name, error) {
  const cause = error?.cause
  if (typeof cause?.message !== 'string') return error
  const wrapped = new Error(`The database ${JSON.stringify(name)} cannot be opened: ${reasonOf(cause)}`, { cause })
  return Object.assign(wrapped, { code: cause.code ?? error.code })
}

/**
 * LevelDB says of a lock that a resource is unavailable, and a pool that a map is in use.
 *
 * @param {{ code?: string, message: string }} cause
 */
function reasonOf ({ code, message }) {
  if (code === 'LEVEL_LOCKED' && message.includes('map')) return `another thread of this process has it open (${message})`
  return code === 'LEVEL_LOCKED' && !message.includes('process') ? `another process has it open (${message})` : message
}

module.exports = { openError }
