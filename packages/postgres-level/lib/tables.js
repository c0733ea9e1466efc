'use strict'

const { failure, toLevelError } = require('./errors')
const { pause } = require('./outcomes')

const MISSING = '42P01'

/** Errors of those who create the same table at the same time. */
const BESIDE = new Set(['23505', '42P07', '42710', '40001', 'XX000'])

const ATTEMPTS = 10

/**
 * Finds the tables, or makes them. Several servers may do so at the same time.
 *
 * @param {import('./connections').Connections} connections
 * @param {{ createIfMissing: boolean, errorIfExists: boolean }} options
 */
async function openTables (connections, { createIfMissing, errorIfExists }) {
  const areThere = await find(connections)
  if (areThere && errorIfExists) throw failure('LEVEL_POSTGRES_EXISTS', 'The table of entries exists already')
  if (areThere) return
  if (!createIfMissing) throw failure('LEVEL_POSTGRES_NOT_FOUND', 'The table of entries does not exist')
  for (const statement of connections.statements.create) await create(connections, statement)
}

/** @param {import('./connections').Connections} connections */
async function find (connections) {
  try {
    await connections.read({ statement: connections.statements.find, values: [] })
    return true
  } catch (error) {
    if (error.cause?.code === MISSING) return false
    throw error
  }
}

/** @param {import('./connections').Connections} connections @param {import('./wire').Statement} statement */
async function create (connections, statement) {
  for (let attempt = 1; ; attempt++) {
    try {
      await connections.exchange([{ statement, values: [] }])
      return
    } catch (error) {
      if (!BESIDE.has(error.code) || attempt === ATTEMPTS) throw toLevelError(error)
      await pause(attempt)
    }
  }
}

module.exports = { openTables }
