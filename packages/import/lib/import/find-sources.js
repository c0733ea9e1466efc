'use strict'

const { parseAddress } = require('../http/address')
const { Remote } = require('../http/remote')
const { CouchSource } = require('../http/source')
const { ImportError } = require('./import-error')
const { findExports } = require('../json-lines/find-files')
const { findPouchLevels } = require('../pouch-level/find-databases')
const { PouchLevelSource } = require('../pouch-level/source')

/** Whether there is anybody at all is soon said. */
const FEW_TRIES = 2

/** Databases with an underscore that users put something into. */
const SYSTEM = ['_users', '_replicator']

/**
 * Finds the databases at a place: a file of an export, a folder of several, a folder of PouchDB's LevelDB, a
 * folder of several, a database's URL, a server's.
 *
 * @param {string} place
 * @param {import('../..').HttpOptions} [options]
 * @returns {Promise<import('../..').Found>}
 *
 * @typedef {import('../..').HttpOptions} HttpOptions
 * @typedef {ReturnType<typeof parseAddress>} Address
 */
async function findSources (place, options = {}) {
  if (/^https?:/i.test(place)) return findCouch(place, options)
  const exports = await findExports(place)
  if (exports.length > 0) return { databases: exports }
  const databases = findPouchLevels(place)
  return { databases: databases.map(({ name, folder }) => ({ name, label: folder, open: () => PouchLevelSource.open(name, folder) })) }
}

/** @param {string} place @param {HttpOptions} options */
async function findCouch (place, options) {
  const address = parseAddress(place)
  const server = new Remote(address, { ...options, tries: options.tries ?? FEW_TRIES })
  try {
    const answer = await server.ask('GET', '')
    if (answer?.update_seq !== undefined) return await oneDatabase(address, options)
    if (answer?.couchdb === undefined && answer?.['express-pouchdb'] === undefined) throw new ImportError('NOT_COUCHDB', { source: server.url })
    const names = (await server.ask('GET', '_all_dbs')).filter((/** @type {string} */ name) => !name.startsWith('_') || SYSTEM.includes(name))
    return { uuid: answer.uuid, databases: names.map((/** @type {string} */ name) => toFound({ ...address, url: `${address.url}/${encodeURIComponent(name)}` }, name, answer.uuid, options)) }
  } catch (error) {
    throw error.status === 404 ? new ImportError('SOURCE_NOT_FOUND', { source: server.url, cause: error }) : error
  } finally {
    await server.close()
  }
}

/** @param {Address} address @param {HttpOptions} options */
async function oneDatabase (address, options) {
  const name = address.segments[address.segments.length - 1]
  const server = new Remote({ ...address, url: address.url.slice(0, address.url.lastIndexOf('/')) }, options)
  try {
    const { uuid } = await server.find('') ?? {}
    return { uuid, databases: [toFound(address, name, uuid, options)] }
  } finally {
    await server.close()
  }
}

/** @param {Address} address @param {string} name @param {string | undefined} uuid @param {HttpOptions} options */
function toFound (address, name, uuid, options) {
  return { name, label: address.url, open: () => CouchSource.open({ ...address, name, uuid }, options) }
}

module.exports = { findSources }
