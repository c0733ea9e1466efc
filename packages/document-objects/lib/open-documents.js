'use strict'

const { Databases, illegalName, isLegalName } = require('@potoroo/document-store')
const { checkOptions } = require('@potoroo/errors/known-options')
const { PmemLevel } = require('pmem-level')
const { Pool } = require('pmemobj')
const { Documents } = require('./documents')

/** As a server has its databases, so that it serves these, too. */
const LAYOUT = { prefix: 'databases/', deterministicRevs: /** @type {const} */ ('couchdb') }

/** The databases of a pool: all who ask have the same. @type {WeakMap<Pool, Promise<Databases>>} */
const catalogues = new WeakMap()

/** Databases of pools that are being closed: those that are opened again wait for that. @type {WeakMap<Pool, Promise<void>>} */
const closing = new WeakMap()

/** The documents of a database: all who ask have the same objects. @type {WeakMap<import('@potoroo/document-store').DocumentStore, Documents>} */
const opened = new WeakMap()

/**
 * Opens a database as a Map of documents, and makes it where there is none.
 *
 * @param {Pool | Databases} where a pool of the application; or the databases of a server that runs in this process
 * @param {string} name of the database
 * @param {{ reference?: string }} [options]
 * @returns {Promise<Documents>}
 * @throws TypeError for another `where`, no name, an unknown option, or another `reference` than who has it open already; illegal_database_name where it is not there and no server could serve it; LEVEL_LOCKED where another thread has documents in the pool
 */
async function openDocuments (where, name, options = {}) {
  if (typeof name !== 'string') throw new TypeError(`openDocuments(where, name): the name of a database is a string, and not ${name === null ? 'null' : typeof name}`)
  checkOptions(options, ['reference'], 'openDocuments()')
  const databases = await databasesOf(where)
  const store = await storeOf(databases, name)
  const known = opened.get(store)
  if (known !== undefined) {
    if (options.reference === undefined || options.reference === known.reference) return known
    throw new TypeError(`Who has ${name} open already names references ${known.reference}, and not ${options.reference}`)
  }
  const documents = new Documents(store, databases, options)
  opened.set(store, documents)
  store.once('close', () => opened.delete(store))
  return documents
}

/** @param {Pool | Databases} where */
function databasesOf (where) {
  if (where instanceof Databases) return where
  if (!(where instanceof Pool)) throw new TypeError('Documents are in a Pool of pmemobj, or in the databases of a server')
  const known = catalogues.get(where)
  if (known !== undefined && !where.closed) return known
  const opening = openCatalogue(where)
  catalogues.set(where, opening)
  opening.catch(() => catalogues.delete(where))
  return opening
}

/** @param {Pool} pool */
async function openCatalogue (pool) {
  await closing.get(pool)
  // Another thread would count documents and sequences of its own.
  const level = new PmemLevel(pool, { writer: true })
  try {
    await level.open()
  } catch (error) {
    throw error.cause ?? error
  }
  try {
    const databases = await Databases.open(level, LAYOUT)
    databases.once('close', () => {
      catalogues.delete(pool)
      leave(pool, level)
    })
    return databases
  } catch (error) {
    leave(pool, level)
    throw error
  }
}

/** @param {Pool} pool @param {PmemLevel} level */
function leave (pool, level) {
  const left = level.close()
  // A failure is told to who opens databases of the pool again.
  left.catch(() => {})
  closing.set(pool, left)
}

/**
 * Somebody else may make it at the same time.
 *
 * @param {Databases} databases
 * @param {string} name
 */
async function storeOf (databases, name) {
  if (databases.has(name)) return databases.get(name)
  // PouchDB makes others, which no server would serve.
  if (!isLegalName(name)) throw illegalName(name)
  try {
    await databases.create(name)
  } catch (error) {
    if (error.code !== 'DATABASE_EXISTS') throw error
  }
  return databases.get(name)
}

module.exports = { openDocuments }
