'use strict'

const { isInert, toObjectInTurns } = require('@potoroo/document-store')
const { createError } = require('@potoroo/errors')
const { numberOf } = require('../stats/metrics')

const HITS = numberOf('ddoc_cache.hit')
const MISSES = numberOf('ddoc_cache.miss')

/** Languages that there is a query server for. */
const LANGUAGES = new Set(['javascript', 'coffeescript', 'query'])

/**
 * @typedef {import('../databases/database-view').AnyDatabase} AnyDatabase
 * @typedef {import('@potoroo/query-server').Functions} Functions
 */

/** A revision of a design document and its functions, which are made once, so that they are compiled once. */
class Design {
  #origin
  /** @type {Map<string, Functions>} */
  #functions = new Map()

  /**
   * @param {AnyDatabase} store
   * @param {any} ddoc
   */
  constructor (store, ddoc) {
    this.ddoc = ddoc
    this.#origin = { database: store.name, instance: store.instanceId, design: ddoc._id }
  }

  get rev () { return this.ddoc._rev }

  /**
   * @param {...string} path `('shows', 'hello')`, `('views', 'by-name', 'map')`, `('rewrites')`
   * @returns {Functions} the function there
   * @throws not_found "missing json key: …"; unknown_query_language
   */
  function (...path) {
    const key = JSON.stringify(path)
    let functions = this.#functions.get(key)
    if (functions === undefined) this.#functions.set(key, functions = this.#make(path))
    return functions
  }

  /** @param {string[]} path */
  #make (path) {
    const { language = 'javascript' } = this.ddoc
    let source = this.ddoc
    for (const name of path) {
      if (source === null || typeof source !== 'object' || !Object.hasOwn(source, name)) throw createError('MISSING', { reason: `missing json key: ${name}` })
      source = source[name]
    }
    if (!LANGUAGES.has(language)) throw createError('FUNCTION_ERROR', { error: 'unknown_query_language', reason: `${language}` })
    if (!source) throw createError('MISSING', { reason: `missing ${path[0]} function ${path.at(-1)} on design doc ${this.ddoc._id}` })
    return { sources: [`${source}`], library: this.ddoc, language, origin: this.#origin }
  }
}

/**
 * Design documents by their names, read once for each change of one of them.
 * @type {WeakMap<AnyDatabase, { moment: string, designs: Map<string, Promise<Design>> }>}
 */
const known = new WeakMap()

/**
 * @param {AnyDatabase} store itself, not as a user sees it
 * @param {string} id `_design/…`
 * @param {import('../stats/statistics').Statistics} [counts] of hits and misses
 * @returns {Promise<Design>}
 * @throws not_found
 */
function designOf (store, id, counts) {
  // A change meanwhile is kept with what is known of the moment before, which nobody asks any more.
  const designs = designsOf(store)
  let design = designs.get(id)
  counts?.count(design === undefined ? MISSES : HITS)
  if (design === undefined) {
    designs.set(id, design = read(store, id))
    design.catch(() => designs.delete(id))
  }
  return design
}

/** @param {AnyDatabase} store */
function designsOf (store) {
  const moment = `${store.designSeq} ${store.purgeSeq}`
  const last = known.get(store)
  if (last?.moment === moment) return last.designs
  const designs = new Map()
  known.set(store, { moment, designs })
  return designs
}

/** @param {AnyDatabase} store @param {string} id */
async function read (store, id) {
  const ddoc = await toObjectInTurns(await store.get(id))
  if (isInert(store, ddoc)) throw createError('MISSING')
  return new Design(store, ddoc)
}

module.exports = { Design, designOf }
