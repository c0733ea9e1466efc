'use strict'

const { randomBytes } = require('node:crypto')
const fsp = require('node:fs/promises')
const path = require('node:path')
const { ClassicLevel } = require('classic-level')
const { syncFolder } = require('./sync-folder')

// LevelDB does not flush its first MANIFEST, nor the folder after CURRENT was renamed: a power cut
// while it makes a folder leaves what it never opens again. So a folder is made under a name of its
// own, `<location>.draft-…`, flushed, and renamed.

const ITS_OWN = /^(CURRENT|LOCK|LOG|LOG\.old|MANIFEST-\d+|\d+\.(log|dbtmp))$/
const TABLE = /^\d+\.(ldb|sst)$/
const NUMBERED = /^(MANIFEST-\d+|\d+\.(log|ldb|sst))$/

// A MANIFEST that names a table is longer: 75 bytes at least; one that names none has 50.
const MANIFEST_WITHOUT_TABLES = 64

/**
 * Makes a folder of LevelDB that is there whole, or not at all, where there is none.
 *
 * @param {string} location
 * @returns {Promise<boolean>} whether it did. If it cannot, LevelDB makes the folder in place, or says why not.
 */
async function makeFolder (location) {
  if ((await namesIn(location)).length > 0) return false
  const draft = newDraft(location)
  try {
    const first = await fsp.mkdir(draft, { recursive: true, mode: 0o700 })
    await fillDraft(draft)
    await fsp.rmdir(location).catch(() => {})
    await fsp.rename(draft, location)
    await syncParents(location, first ?? draft)
  } catch {
    await fsp.rm(draft, { recursive: true, force: true })
    return false
  }
  await removeDrafts(location)
  return true
}

/**
 * Removes a folder that LevelDB began to make and that nothing was written to.
 *
 * @param {string} location of a folder that LevelDB does not open, though no other process has it open
 * @returns {Promise<boolean>} whether it did; not if there is anything that may have been acknowledged
 */
async function removeUnborn (location) {
  if (!await isUnborn(location)) return false
  const draft = newDraft(location)
  try {
    // Other processes may do this at the same time: they look again at what they alone have.
    await fsp.rename(location, draft)
  } catch {
    return false
  }
  if (await removeDraft(draft)) return true
  await fsp.rename(draft, location).catch(() => {})
  return false
}

/**
 * Without CURRENT, LevelDB begins with nothing, and removes all tables.
 *
 * @param {string} location
 */
async function refuseWithoutCurrent (location) {
  const names = await namesIn(location)
  if (names.includes('CURRENT') || !names.some(name => TABLE.test(name))) return
  throw Object.assign(new Error(`Corruption: ${location} has tables, but no CURRENT`), { code: 'LEVEL_CORRUPTION' })
}

/**
 * Lets nobody but the owner into LevelDB's folder, which LevelDB itself would have anybody read. Files that
 * are made later may be open: nobody else gets to them. Files of another user stay as they are.
 *
 * @param {string} folder
 */
async function closeFolder (folder) {
  const names = (await namesIn(folder)).map(name => path.join(folder, name))
  await closeToOthers(folder, 0o700)
  for (const name of names) await closeToOthers(name, 0o600)
}

/** @param {string} name @param {number} mode */
async function closeToOthers (name, mode) {
  try {
    if (((await fsp.stat(name)).mode & 0o077) !== 0) await fsp.chmod(name, mode)
  } catch (error) {
    if (!['ENOENT', 'EPERM', 'EROFS'].includes(error.code)) throw error
  }
}

/** @param {string} draft */
async function fillDraft (draft) {
  const level = new ClassicLevel(draft)
  await level.open()
  await level.close()
  for (const name of await fsp.readdir(draft)) await sync(path.join(draft, name), 'r+')
  await syncFolder(draft)
}

/**
 * From the folder's parent up to the parent of the first folder that was made for it.
 *
 * @param {string} location
 * @param {string} first
 */
async function syncParents (location, first) {
  const top = path.dirname(path.resolve(first))
  let folder = path.resolve(location)
  do {
    folder = path.dirname(folder)
    await syncFolder(folder)
  } while (folder !== top && folder !== path.dirname(folder))
}

/**
 * Removes what cuts have left beside a folder.
 *
 * @param {string} location
 */
async function removeDrafts (location) {
  const parent = path.dirname(location)
  const prefix = path.basename(location) + '.draft-'
  for (const name of await namesIn(parent)) {
    if (name.startsWith(prefix)) await removeDraft(path.join(parent, name))
  }
}

/**
 * @param {string} draft
 * @returns {Promise<boolean>} false: there is more in it than a draft has, or another process has it open
 */
async function removeDraft (draft) {
  if (!await isUnborn(draft)) return false
  try {
    await ClassicLevel.destroy(draft)
    return true
  } catch {
    return false
  }
}

/**
 * Whether nothing that is in a folder can have been acknowledged: LevelDB's own files only, no table,
 * no MANIFEST that names one, and logs without a byte, since a write is in the log before it is acknowledged.
 *
 * @param {string} folder
 */
async function isUnborn (folder) {
  const names = await namesIn(folder)
  if (!names.every(name => ITS_OWN.test(name))) return false
  for (const name of names.filter(name => NUMBERED.test(name))) {
    const { size } = await fsp.stat(path.join(folder, name)).catch(() => ({ size: Infinity }))
    if (size > (name.startsWith('MANIFEST') ? MANIFEST_WITHOUT_TABLES : 0)) return false
  }
  return true
}

/**
 * None of what is no folder.
 *
 * @param {string} folder
 */
async function namesIn (folder) {
  try {
    return await fsp.readdir(folder)
  } catch (error) {
    if (error.code === 'ENOENT') return []
    throw error
  }
}

/** @param {string} name @param {string} flags */
async function sync (name, flags) {
  const handle = await fsp.open(name, flags)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** @param {string} location */
function newDraft (location) {
  return `${location}.draft-${randomBytes(6).toString('hex')}`
}

module.exports = { closeFolder, makeFolder, removeUnborn, refuseWithoutCurrent }
