'use strict'

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { Databases } = require('@potoroo/document-store')
const { decryptBackup } = require('@potoroo/storage')
const { readBackup } = require('../backup/read')
const { Connection } = require('../commands/connection')
const { demandDatabases } = require('../storage/data-folder')
const { Meter } = require('../commands/meter')
const { openBackup } = require('../commands/open-backup')
const { count, size } = require('../import/words')
const { openStorage } = require('../storage/open-storage')

const PREFIX = 'databases/'

/**
 * The databases of a server as they are at one moment: those of a folder that no server has open, or a
 * copy of those of one that runs.
 *
 * @param {{ data: string, server?: string, beside?: string, key?: Uint8Array }} place `beside`: where a copy may be for
 *   a while, encrypted where the databases are
 * @param {AbortSignal} signal
 * @returns {Promise<{ level: any, databases: any, encrypted: boolean, close: () => Promise<void> }>}
 */
async function openDataSnapshot ({ data, server, beside = os.tmpdir(), key }, signal) {
  if (server !== undefined) return openCopy(server, beside, key, signal)
  demandDatabases(data, { server: true })
  return openFolder({ folder: data, key }, async () => {})
}

/**
 * @param {{ folder: string, storage?: string, key?: Uint8Array }} options
 * @param {() => Promise<void>} then
 */
async function openFolder (options, then) {
  const { level, close } = await openStorage(/** @type {any} */ ({ ...options, allowVolatile: true }))
  try {
    const databases = await Databases.open(level, { prefix: PREFIX })
    return {
      level,
      databases,
      encrypted: options.key !== undefined,
      async close () {
        await databases.close()
        await close()
        await then()
      }
    }
  } catch (error) {
    await close()
    throw error
  }
}

/**
 * @param {string} server
 * @param {string} beside
 * @param {Uint8Array | undefined} key
 * @param {AbortSignal} signal
 */
async function openCopy (server, beside, key, signal) {
  const connection = await Connection.open({ server, data: '' })
  fs.mkdirSync(beside, { recursive: true })
  const folder = fs.mkdtempSync(path.join(beside, '.potoroo-export-'))
  const remove = async () => fs.rmSync(folder, { recursive: true, force: true })
  try {
    const response = await openBackup(connection, signal)
    const { encrypted, bytes } = await decryptBackup(response, key)
    const place = encrypted ? { folder, storage: 'pmem', key } : { folder, storage: 'classic-level' }
    await copy(bytes, place, signal)
    return await openFolder(place, remove)
  } catch (error) {
    await remove()
    throw error
  } finally {
    await connection.close()
  }
}

/**
 * It is not for keeps, so nothing waits for the disk.
 *
 * @param {any} source a stream of bytes
 * @param {{ folder: string, storage: string, key?: Uint8Array }} place
 * @param {AbortSignal} signal
 */
async function copy (source, place, signal) {
  const { level, close } = await openStorage(/** @type {any} */ ({ ...place, durability: 'relaxed', allowVolatile: true }))
  const meter = new Meter(process.stderr, 'Copying')
  let copied = 0
  try {
    for await (const { entries = [], bytes } of readBackup(source)) {
      signal.throwIfAborted()
      copied += entries.length
      await level.batch(entries.map(([key, value]) => ({ type: 'put', key, value })), { keyEncoding: 'buffer', valueEncoding: 'buffer' })
      meter.update(0, 0, `${count(copied)} entries, ${size(bytes)}`)
    }
  } finally {
    meter.stop()
    await source.return()
    await close()
  }
}

module.exports = { openDataSnapshot }
