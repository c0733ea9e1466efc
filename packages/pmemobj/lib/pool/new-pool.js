'use strict'

const { randomBytes } = require('node:crypto')
const fs = require('node:fs')
const path = require('node:path')
const { ByteReader } = require('../base/byte-reader')
const { createError } = require('../base/codes')
const { Filler } = require('../base/filler')
const { syncFolder } = require('./pool-folder')
const { fromSystem } = require('../base/system-error')

/**
 * Makes a pool out of a stream. It gets its name when all of the stream is in it: before, and after
 * a crash, there is nothing of that name. The part made until then has digits and `.restoring` behind
 * its name; a failure removes it, and what a crash has left is removed by the next attempt.
 *
 * @template T
 * @param {typeof import('./pool').Pool} Pool
 * @param {string} location
 * @param {unknown} source stream
 * @param {import('../..').RestoreOptions} options
 * @param {(reader: ByteReader, filler: Filler) => Promise<T>} fill
 * @returns {Promise<T>}
 */
async function makePool (Pool, location, source, { signal, onProgress, ...options }, fill) {
  const final = path.resolve(location)
  const draft = draftOf(final)
  const reader = new ByteReader(source, signal)
  try {
    refuseExisting(final)
    removeRemains(Pool, final)
    const pool = new Pool(draft, { ...options, createIfMissing: true, errorIfExists: true, exclusive: true })
    try {
      const filler = new Filler(Pool.handleOf(pool), onProgress)
      const result = await fill(reader, filler)
      filler.end()
      signal?.throwIfAborted()
      pool.close()
      publish(draft, final)
      return result
    } catch (error) {
      pool.close()
      removeDraft(Pool, draft)
      throw error
    }
  } finally {
    reader.close()
  }
}

/**
 * A pool's name until it is whole: no pool of the user's is called so.
 *
 * @param {string} final
 */
function draftOf (final) { return `${final}.${randomBytes(6).toString('hex')}.restoring` }

/**
 * Drafts of processes that were killed; those of others that are at it stay.
 *
 * @param {typeof import('./pool').Pool} Pool
 * @param {string} final
 */
function removeRemains (Pool, final) {
  const folder = path.dirname(final)
  const prefix = `${path.basename(final)}.`
  for (const name of fs.existsSync(folder) ? fs.readdirSync(folder) : []) {
    if (!name.startsWith(prefix) || !/^[0-9a-f]{12}\.restoring$/.test(name.slice(prefix.length))) continue
    try {
      removeDraft(Pool, path.join(folder, name))
    } catch (error) {
      if (error.code !== 'PMEMOBJ_IN_USE') throw error
    }
  }
}

/**
 * An empty folder may become a pool, as it may for `Pool.open`.
 *
 * @param {string} final
 */
function refuseExisting (final) {
  const info = fs.lstatSync(final, { throwIfNoEntry: false })
  if (info === undefined || (info.isDirectory() && fs.readdirSync(final).length === 0)) return
  throw createError('PMEMOBJ_EXISTS', `There is something at ${final} already`)
}

/**
 * Says whether a pool is there, or a folder in which none has been begun.
 *
 * @param {typeof import('./pool').Pool} Pool
 * @param {string} draft
 */
function removeDraft (Pool, draft) {
  try {
    Pool.destroy(draft)
  } catch (error) {
    if (error.code === 'PMEMOBJ_NOT_A_POOL') removeEmpty(draft)
    else if (error.code !== 'PMEMOBJ_NOT_FOUND') throw error
  }
}

/** @param {string} folder */
function removeEmpty (folder) {
  try {
    fs.rmdirSync(folder)
  } catch {}
}

/**
 * Durably, and never in the place of something else.
 *
 * @param {string} draft
 * @param {string} final
 */
function publish (draft, final) {
  try {
    if (fs.statSync(draft).isDirectory()) {
      fs.renameSync(draft, final)
    } else {
      fs.linkSync(draft, final)
      fs.unlinkSync(draft)
    }
    syncFolder(path.dirname(final))
  } catch (error) {
    throw fromSystem(error)
  }
}

module.exports = { draftOf, makePool, publish, refuseExisting, removeDraft, removeRemains }
