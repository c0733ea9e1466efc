'use strict'

const { checkDatabases, publicName } = require('@potoroo/document-store')

const PREFIX = 'databases/'

/** Bytes of a step of a scrub. */
const STEP = 16 * 1024 * 1024

/** Problems that a message names. */
const NAMED = 3

const ADVICE = 'potoroo check --data lists all that is damaged, and potoroo salvage brings the rest into a new folder'

/**
 * The pages and values of a level that fail their checksums. LevelDB cannot be asked.
 *
 * @param {any} level
 * @param {AbortSignal} [signal]
 * @returns {Promise<import('@potoroo/document-store').Fault[]>}
 */
async function faultsOf (level, signal) {
  /** @type {import('@potoroo/document-store').Fault[]} */
  const faults = []
  if (typeof level.scrub !== 'function') return faults
  for (let step; step?.done !== true;) {
    signal?.throwIfAborted()
    step = await level.scrub(step, STEP)
    faults.push(...step.faults)
  }
  return faults
}

/** Whether an error says that what is stored is damaged. @param {any} error */
function isDamage (error) {
  for (let at = error; at; at = at.cause) if (at.code === 'LEVEL_CORRUPTION') return true
  return false
}

/**
 * The damage of a level, for a message: its documents.
 *
 * @param {any} level
 * @param {{ only?: string }} [options] the name of a database that is meant alone
 * @returns {Promise<string>}
 */
async function damageInWords (level, { only } = {}) {
  const found = []
  const faults = await faultsOf(level)
  for await (const problem of checkDatabases(level, { prefix: PREFIX, faults })) {
    if (only === undefined || publicName(problem).startsWith(`${only}: `)) found.push(problem)
    if (found.length === NAMED) break
  }
  return `${found.length === 0 ? 'the storage is damaged' : found.join('; ')}. ${ADVICE}`
}

module.exports = { damageInWords, faultsOf, isDamage }
