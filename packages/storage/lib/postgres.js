'use strict'

/** @param {string} storage */
function isPostgres (storage) { return /^postgres(ql)?(:|$)/.test(storage) }

/**
 * Opens a level in PostgreSQL, or in an engine that speaks its protocol.
 *
 * @param {string} url
 * @param {import('postgres-level').PostgresLevelOptions<any, any>} [options]
 * @returns {Promise<import('..').Storage>}
 */
async function openPostgres (url, options) {
  const { PostgresLevel } = require('postgres-level')
  const level = new PostgresLevel(checkUrl(url), options)
  await level.open()
  const engine = await level.engine()
  const description = describe(level.location, engine)
  return { level, storage: 'postgres', path: null, describe: () => ({ ...description }), writeFault: () => writeFault(level) }
}

/** @param {string} url @throws STORAGE_UNKNOWN whose text does not repeat it, as it may have a password */
function checkUrl (url) {
  if (/^postgres(ql)?:\/\/./.test(url)) return url
  throw Object.assign(new Error('The storage postgres needs a URL: postgres://user:password@host:port/database'), { code: 'STORAGE_UNKNOWN' })
}

/**
 * @param {string} location without a password
 * @param {{ version: string | null, synchronousCommit: string | null, fsync: string | null }} engine
 * @returns {import('..').Description}
 */
function describe (location, { version, synchronousCommit, fsync }) {
  const medium = version?.split(/ (?:on|\()/)[0] ?? 'an engine that speaks its protocol'
  const commit = `one transaction per group of writes (synchronous_commit ${synchronousCommit ?? 'unknown'}, fsync ${fsync ?? 'unknown'})`
  return { storage: 'postgres', path: null, fileSystem: null, location, medium, commit, survives: survivesOf(synchronousCommit, fsync) }
}

/** @param {string | null} synchronousCommit @param {string | null} fsync @see https://www.postgresql.org/docs/current/runtime-config-wal.html */
function survivesOf (synchronousCommit, fsync) {
  if (fsync === 'off') return 'a crash of the engine, not a restart of its machine'
  if (synchronousCommit === 'off') return 'a crash of this server; a crash of the engine may lose the last second'
  return synchronousCommit === null ? 'what the engine promises' : 'process crash and power cut'
}

/**
 * Tries a write: the engine alone knows whether it takes one.
 *
 * @param {import('postgres-level')} level
 * @returns {Promise<'full' | 'failed' | null>}
 */
async function writeFault (level) {
  try {
    await level.del('!room')
    return null
  } catch (error) {
    return error.code === 'LEVEL_POSTGRES_FULL' ? 'full' : 'failed'
  }
}

module.exports = { isPostgres, openPostgres }
