'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { ByteReader } = require('./byte-reader')
const { createError } = require('./codes')
const { Filler } = require('./filler')
const { fromSystem } = require('./system-error')

/**
 * Makes a pool out of a stream. It gets its name when all of the stream is in it: before, and after
 * a crash, there is nothing of that name. What was made until then has `.restoring` behind its
 * name; a failure removes it, and what a crash has left is removed by the next attempt.
 *
 * @template T
 * @param {typeof import('./pool').Pool} Pool
 * @param {string} location
 * @param {unknown} source stream
 * @param {import('..').RestoreOptions} options
 * @param {(reader: ByteReader, filler: Filler) => Promise<T>} fill
 * @returns {Promise<T>}
 */
async function makePool (Pool, location, source, { signal, onProgress, ...options }, fill) {
  const final = path.resolve(location)
  const draft = draftOf(final)
  const reader = new ByteReader(source, signal)
  try {
    refuseExisting(final)
    removeDraft(Pool, draft)
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

/** What a pool is called until it is whole. */
function draftOf (final) { return `${final}.restoring` }

/** An empty folder may become a pool, as it may for `Pool.open`. */
function refuseExisting (final) {
  const info = fs.lstatSync(final, { throwIfNoEntry: false })
  if (info === undefined || (info.isDirectory() && fs.readdirSync(final).length === 0)) return
  throw createError('PMEMOBJ_EXISTS', `There is something at ${final} already`)
}

/** What is no pool is left to `Pool.open`, which replaces one that was never finished. */
function removeDraft (Pool, draft) {
  try {
    Pool.destroy(draft)
  } catch (error) {
    if (error.code !== 'PMEMOBJ_NOT_FOUND' && error.code !== 'PMEMOBJ_NOT_A_POOL') throw error
  }
}

/** Durably, and never in the place of something else. */
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

/** @param {string} folder whose entries are to be durable */
function syncFolder (folder) {
  const descriptor = fs.openSync(folder, 'r')
  try {
    fs.fsyncSync(descriptor)
  } finally {
    fs.closeSync(descriptor)
  }
}

module.exports = { draftOf, makePool, publish, refuseExisting, removeDraft, syncFolder }
