'use strict'

const fs = require('node:fs')
const fsp = require('node:fs/promises')
const os = require('node:os')
const path = require('node:path')
const { ClassicLevel } = require('classic-level')
const { DEFAULT_MAX_SIZE } = require('./open')

/** The map of a pool that its level is in: see pmem-level. */
const MAP = 'level'

/** Entries that are read at once. */
const STEP = 100

/**
 * Brings what is whole out of a storage that is damaged, or does not open, into a new one of the same
 * kind, which a folder does not have yet. The old one is only read; nobody may have it open.
 *
 * @param {string} from the folder that the storage is in
 * @param {string} to the folder that gets the new one
 * @param {{ size?: number, key?: Uint8Array }} [options] bytes of a new pool; the key of both
 * @returns {Promise<import('..').Salvaged>}
 */
async function salvage (from, to, options = {}) {
  const storage = ['pmem', 'classic-level'].find(name => fs.existsSync(path.join(from, name)))
  if (storage === undefined) throw Object.assign(new Error(`There is no storage in ${from}`), { code: 'STORAGE_UNKNOWN' })
  const [old, made] = [path.join(from, storage), path.join(to, storage)]
  return storage === 'pmem' ? salvagePool(old, made, options) : salvageClassic(old, made)
}

/**
 * @param {string} old
 * @param {string} made
 * @param {{ size?: number, key?: Uint8Array }} options
 * @returns {Promise<import('..').Salvaged>}
 */
async function salvagePool (old, made, { size, key }) {
  const { salvage: salvageMaps, Pool } = require('pmemobj')
  const report = await salvageMaps(old, made, { size, maxSize: DEFAULT_MAX_SIZE, key })
  const pool = Pool.open(made, { createIfMissing: false, key })
  let unnamed = 0
  try {
    for (const { name } of report.maps) if (/^lost-\d+$/.test(name)) unnamed += join(pool, name)
  } finally {
    pool.close()
  }
  const maps = report.maps.filter(({ name }) => name === MAP || /^lost-\d+$/.test(name))
  const missing = maps.flatMap(({ losses }) => losses.map(({ kind, from, to }) => ({ kind, from, to })))
  const untold = maps.reduce((sum, { losses, lossCount }) => sum + lossCount - losses.length, 0)
  const doubtful = maps.reduce((sum, each) => sum + each.doubtful, 0)
  const notes = [
    ...report.notes,
    ...(untold > 0 ? [`${untold} more pages, keys and values are lost than are listed`] : []),
    ...(doubtful > 0 ? [`${doubtful} entries come from pages that nothing leads to: they may be old, or have been deleted since`] : []),
    ...(unnamed > 0 ? [`${unnamed} entries come from maps whose name is lost`] : [])
  ]
  return { storage: 'pmem', lost: report.lost, missing, notes }
}

/**
 * A level has but one map: what is in one whose name is lost was in it.
 *
 * @param {import('pmemobj').Pool} pool
 * @param {string} name
 */
function join (pool, name) {
  const level = pool.map(MAP)
  const entries = pool.map(name).iterator({ keyEncoding: 'buffer', valueEncoding: 'buffer' })
  let count = 0
  for (let page = entries.nextv(STEP); page.length > 0; page = entries.nextv(STEP)) {
    const missing = []
    for (let i = 0; i < page.length; i += 2) {
      if (!level.has(page[i])) missing.push('put', page[i], page[i + 1])
    }
    level.batch(missing)
    count += missing.length / 3
  }
  entries.close()
  pool.dropMap(name)
  return count
}

/**
 * LevelDB repairs a folder in place: a copy. It does not say what is lost.
 *
 * @param {string} old
 * @param {string} made
 * @returns {Promise<import('..').Salvaged>}
 */
async function salvageClassic (old, made) {
  const release = await lock(old)
  try {
    await fsp.mkdir(made, { mode: 0o700 })
    for (const { name } of (await fsp.readdir(old, { withFileTypes: true })).filter(entry => entry.isFile() && !/^LO(CK|G)/.test(entry.name))) {
      await fsp.copyFile(path.join(old, name), path.join(made, name))
    }
    await ClassicLevel.repair(made)
    const notes = await repairNotes(made)
    await fsp.rm(path.join(made, 'lost'), { recursive: true, force: true })
    return { storage: 'classic-level', lost: null, missing: [], notes }
  } finally {
    await release()
  }
}

/**
 * Returns the lines of LevelDB's log about tables and logs that it could not read all of.
 *
 * @param {string} folder
 */
async function repairNotes (folder) {
  const text = await fsp.readFile(path.join(folder, 'LOG'), 'utf8').catch(() => '')
  const lines = text.split('\n').filter(line => /Corruption|ignoring|dropping/i.test(line))
  const notes = lines.map(line => `LevelDB: ${line.replace(/^\S+ \S+ /, '').replaceAll(`${folder}/`, '')}`)
  const lost = await fsp.readdir(path.join(folder, 'lost')).catch(() => [])
  return [...new Set(notes), ...lost.filter(name => /\.(ldb|sst)$/.test(name)).map(name => `LevelDB could not read ${name}`)]
}

/**
 * Takes LevelDB's lock of a folder without changing anything in it: a level elsewhere, whose lock it is.
 *
 * @param {string} folder
 * @returns {Promise<() => Promise<void>>} gives it back
 */
async function lock (folder) {
  const file = path.resolve(folder, 'LOCK')
  if (!fs.existsSync(file)) return async () => {}
  const place = await fsp.mkdtemp(path.join(os.tmpdir(), 'potoroo-lock-'))
  await fsp.symlink(file, path.join(place, 'LOCK'))
  const level = new ClassicLevel(place)
  const release = async () => {
    await level.close()
    await fsp.rm(place, { recursive: true, force: true })
  }
  try {
    await level.open()
  } catch (error) {
    await release()
    // A medium that cannot be written to is nobody's to lock.
    if (error.cause?.code === 'LEVEL_LOCKED' || error.code === 'LEVEL_LOCKED') throw error
    return async () => {}
  }
  return release
}

module.exports = { salvage }
