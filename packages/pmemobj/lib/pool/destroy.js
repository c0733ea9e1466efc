'use strict'

const fs = require('node:fs')
const path = require('node:path')
const binding = require('../binding/binding')
const { claim } = require('../binding/claim')
const { createError } = require('../base/codes')
const { PART, SET, syncFolder } = require('./pool-folder')
const { fromSystem } = require('../base/system-error')

// Errors of pools that are destroyed all the same; a pool that is encrypted is destroyed without its key.
const OF_NO_USE = new Set(['PMEMOBJ_CORRUPT', 'PMEMOBJ_LAYOUT_VERSION', 'PMEMOBJ_KEY_NEEDED', 'PMEMOBJ_WRONG_KEY', 'PMEMOBJ_IN_DOUBT'])

/**
 * Removes a pool's files: of a folder only those that belong to the pool.
 *
 * @param {typeof import('./pool').Pool} Pool
 * @param {string} location
 * @param {boolean} ifEmpty leave it where it has maps, objects' too, or is damaged
 * @param {Uint8Array} [key] to know whether one that is encrypted has maps
 * @returns {boolean} whether it has gone
 */
function destroy (Pool, location, ifEmpty, key) {
  const folder = statOf(location).isDirectory()
  if (fs.lstatSync(location).isSymbolicLink()) {
    const isGone = destroy(Pool, fs.realpathSync(location), ifEmpty, key)
    if (isGone) remove(() => fs.unlinkSync(location))
    return isGone
  }
  const { pool, release } = hold(Pool, location, key)
  try {
    if (ifEmpty && (pool === undefined || binding.listMaps(Pool.handleOf(pool)).length > 0)) return false
    remove(() => folder ? removeFolder(location) : fs.unlinkSync(location))
    return true
  } finally {
    release()
  }
}

/** @param {string} location */
function statOf (location) {
  try {
    return fs.statSync(location)
  } catch (error) {
    throw error.code === 'ENOENT' ? createError('PMEMOBJ_NOT_FOUND', `The pool ${location} does not exist`) : fromSystem(error)
  }
}

/**
 * Keeps other processes out of a pool, whole or damaged, while its files are removed. Throws if the pool
 * is in use, or if the file is none of a pool.
 *
 * @param {typeof import('./pool').Pool} Pool
 * @param {string} location
 * @param {Uint8Array | undefined} key
 */
function hold (Pool, location, key) {
  try {
    const pool = new Pool(location, { createIfMissing: false, exclusive: true, key })
    return { pool, release: () => close(pool) }
  } catch (error) {
    const remains = error.code === 'PMEMOBJ_NOT_A_POOL'
    if (!remains && !OF_NO_USE.has(error.code)) throw error
    return { release: claimDamaged(location, remains, error) }
  }
}

/**
 * Ignores errors: closing may fail because the files have gone.
 *
 * @param {import('./pool').Pool} pool
 */
function close (pool) {
  try {
    pool.close()
  } catch {}
}

/**
 * @param {string} location
 * @param {boolean} remains it is no pool, but may be what a crash has left of one
 * @param {Error} reason thrown in place of the error that it is no pool
 */
function claimDamaged (location, remains, reason) {
  try {
    return claim(location, remains)
  } catch (error) {
    throw error.code === 'PMEMOBJ_NOT_A_POOL' ? reason : error
  }
}

/**
 * Parts beside a draft are remains, of which a pool may be made again: so a crash leaves nothing that is in the way.
 *
 * @param {string} location
 */
function removeFolder (location) {
  const set = path.join(location, 'pool.set')
  if (fs.existsSync(set)) {
    fs.renameSync(set, `${set}.draft`)
    syncFolder(location)
  }
  const names = fs.readdirSync(location)
  for (const pattern of [PART, SET]) {
    for (const name of names.filter(each => pattern.test(each))) fs.unlinkSync(path.join(location, name))
    // No power cut may leave parts without the draft: they would be a pool.
    syncFolder(location)
  }
  if (fs.readdirSync(location).length === 0) fs.rmdirSync(location)
}

/** @param {() => void} action */
function remove (action) {
  try {
    action()
  } catch (error) {
    throw fromSystem(error)
  }
}

module.exports = { destroy }
