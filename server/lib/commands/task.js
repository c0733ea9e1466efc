'use strict'

const { indent } = require('../log/safe-text')
const { startError } = require('./start-error')
const { Connection } = require('./connection')
const { announcedServer } = require('../storage/server-file')

const IN_USE = new Set(['LEVEL_LOCKED', 'PMEMOBJ_IN_USE'])

/**
 * Runs what a command does. SIGINT and SIGTERM abort its signal; then the command undoes what it
 * has half done, and the exit code is 130. A failure is a sentence on standard error and 1.
 *
 * @param {{ data?: string, server?: boolean }} place for messages; `server`: whether the command takes a server, too
 * @param {(signal: AbortSignal) => Promise<any>} run gives the exit code, 0 by default
 */
async function runTask (place, run) {
  const stop = new AbortController()
  const abort = () => stop.abort()
  for (const name of ['SIGINT', 'SIGTERM']) process.once(name, abort)
  try {
    process.exitCode = await run(stop.signal) ?? 0
  } catch (error) {
    process.exitCode = stop.signal.aborted ? 130 : 1
    process.stderr.write(`potoroo: ${stop.signal.aborted ? 'stopped; nothing is left half done' : indent(inWords(error, place))}\n`)
  } finally {
    for (const name of ['SIGINT', 'SIGTERM']) process.off(name, abort)
  }
}

/** @param {any} error @param {{ data?: string, server?: boolean }} place */
function inWords (error, { data = '', server = false }) {
  if (IN_USE.has(error.code) || IN_USE.has(error.cause?.code)) {
    const otherwise = server ? `, or name it with --server ${announcedServer(data) ?? 'http://host:5984'}` : ''
    return `the databases in ${data} are in use by another process; stop the server${otherwise}`
  }
  if (error.code === undefined || error.code === 'BACKUP_DAMAGED' || error.name === 'ImportError') return error.message
  return startError(error, { data }).message
}

/**
 * The same with a connection to the server or to the folder.
 *
 * @param {any} options
 * @param {(connection: Connection, signal: AbortSignal) => any} run
 */
function runConnected (options, run) {
  return runTask({ data: options.data, server: true }, async signal => {
    const connection = await Connection.open(options)
    try {
      return await run(connection, signal)
    } finally {
      await connection.close()
    }
  })
}

module.exports = { runConnected, runTask }
