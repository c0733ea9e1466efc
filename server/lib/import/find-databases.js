'use strict'

const { DocumentStore } = require('@potoroo/document-store')
const { findSources, openStoreSource } = require('@potoroo/import')
const { findPouchPools } = require('@potoroo/storage')

/**
 * Returns what findSources finds, and databases of pouchdb-adapter-pmem.
 *
 * @param {string} place
 * @param {import('@potoroo/import').HttpOptions & { key?: Uint8Array }} options `key`: of pools that are encrypted
 * @returns {Promise<import('@potoroo/import').Found>}
 */
async function findDatabases (place, { key, ...options }) {
  const pools = (/^https?:/i.test(place) ? [] : findPouchPools(place, { key })).map(({ name, folder, open }) => ({ name, label: folder, open: () => openSource(name, folder, open) }))
  try {
    const { databases, uuid } = await findSources(place, options)
    return { uuid, databases: [...pools, ...databases] }
  } catch (error) {
    if (error.code !== 'SOURCE_FORMAT' || pools.length === 0) throw error
    return { databases: pools }
  }
}

/** @param {string} name @param {string} label @param {() => Promise<any>} open */
async function openSource (name, label, open) {
  const level = await open()
  try {
    const store = await DocumentStore.open(level, { name })
    try {
      return await openStoreSource(store, { name, label })
    } finally {
      await store.close()
    }
  } finally {
    await level.close()
  }
}

module.exports = { findDatabases }
