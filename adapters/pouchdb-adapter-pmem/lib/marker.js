'use strict'

const { randomBytes } = require('node:crypto')
const fs = require('node:fs')
const path = require('node:path')
const { promisify } = require('node:util')

const fsync = promisify(fs.fsync)

/** The pool that databases of one folder share, in that folder. */
const POOL = 'pouchdb-shared-pool'

/** In a database's own folder: JSON, `{ "map": name of its map in that pool }`. */
const MARKER = 'pouchdb-shared-pool.json'

/** @param {string} folder of the database, absolute */
function poolOf (folder) { return path.join(path.dirname(folder), POOL) }

/**
 * A name for a new map, which no other database has ever had: so a folder that was moved or made
 * again never shows the data of another database.
 *
 * @param {string} folder
 */
function newMapName (folder) {
  const base = Buffer.from(path.basename(folder)).subarray(0, 240).toString()
  return `${base}#${randomBytes(4).toString('hex')}`
}

/**
 * @param {string} folder
 * @returns {string | undefined} the map of a database in a shared pool; undefined of anything else
 */
function readMarker (folder) {
  let text
  try {
    text = fs.readFileSync(path.join(folder, MARKER), 'utf8')
  } catch (error) {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined
    throw error
  }
  const map = mapIn(text)
  if (typeof map === 'string') return map
  throw new Error(`${path.join(folder, MARKER)} is damaged: it has to name the map of the database in ${poolOf(folder)}`)
}

/** @param {string} text @returns {unknown} */
function mapIn (text) {
  try {
    return JSON.parse(text).map
  } catch {
    return undefined
  }
}

/**
 * Makes a folder a database of the shared pool, durably, unless another thread has done so.
 *
 * @param {string} folder
 * @param {string} map
 * @param {string | undefined} made the topmost folder that was made above it
 * @returns {Promise<string>} the map that the database has: `map`, or another thread's
 */
async function writeMarker (folder, map, made) {
  const marker = path.join(folder, MARKER)
  const draft = `${marker}.${randomBytes(4).toString('hex')}`
  // At once: to others an empty folder is one that somebody made for a pool.
  fs.mkdirSync(folder, { recursive: true })
  fs.writeFileSync(draft, `${JSON.stringify({ map })}\n`, { flag: 'wx' })
  try {
    await sync(draft)
    fs.linkSync(draft, marker)
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
    return readMarker(folder) ?? writeMarker(folder, map, made)
  } finally {
    fs.unlinkSync(draft)
  }
  const last = path.dirname(made ?? folder)
  for (let each = folder; ; each = path.dirname(each)) {
    await sync(each)
    if (each === last) return map
  }
}

/** @param {string} file or folder */
async function sync (file) {
  const descriptor = fs.openSync(file, 'r')
  try {
    await fsync(descriptor)
  } finally {
    fs.closeSync(descriptor)
  }
}

/**
 * Takes the marker away, and the folder where nothing else is in it.
 *
 * @param {string} folder
 */
function removeMarker (folder) {
  for (const entry of fs.readdirSync(folder)) if (isOurs(entry)) fs.rmSync(path.join(folder, entry), { force: true })
  try {
    fs.rmdirSync(folder)
  } catch (error) {
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
  }
}

/**
 * A marker, or the draft of one that a crash has left.
 *
 * @param {string} entry
 */
function isOurs (entry) { return entry.startsWith(MARKER) }

module.exports = { POOL, isOurs, newMapName, poolOf, readMarker, removeMarker, writeMarker }
