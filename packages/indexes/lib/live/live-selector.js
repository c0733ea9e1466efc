'use strict'

const { massageSelector } = require('pouchdb-selector-core')
const { findInAll } = require('../embedded/find-rows')
const { compileSelector } = require('../embedded/selector')
const { pouchAccess } = require('./access')
const { openLive } = require('./live-queries')

/**
 * @import { DocumentStore } from '@potoroo/document-store'
 * @import { LiveEvent } from './live-query'
 */

/** Events that wait for a listener; one who falls behind goes on reading from the store. */
const MOST_WAITING = 2048

/**
 * Follows what pouchdb-find's selector accepts: see index.d.ts.
 *
 * @param {DocumentStore} store
 * @param {Record<string, any>} given the selector
 * @param {{ search?: () => Promise<any[]>, bookmark?: string, known?: Record<string, string | null>, signal?: AbortSignal }} options
 */
async function liveSelector (store, given, { search, bookmark, known, signal }) {
  const selector = massageSelector(given)
  const query = openLive(store, {
    search: async () => rowsOf(search ?? (() => scan(store, selector))),
    accepts: compileSelector(selector),
    access: pouchAccess(selector),
    partition: null,
    bookmark: bookmark ?? null,
    known: known === undefined ? null : Object.entries(known),
    most: Infinity,
    mostWaiting: MOST_WAITING,
    signal
  })
  await query.begin()
  return {
    get bookmark () { return query.bookmark },
    async * [Symbol.asyncIterator] () {
      for await (const page of query) yield page.map(event => shown(event, query.bookmarkOf(event.place)))
    }
  }
}

/** Searched when it is read. @param {() => Promise<any[]>} search */
async function * rowsOf (search) {
  const docs = await search()
  yield docs.map(doc => /** @type {any} */ ({ seq: 0, id: doc._id, rev: doc._rev, doc }))
}

/** @param {DocumentStore} store @param {Record<string, any>} selector massaged */
async function scan (store, selector) {
  const { rows } = await findInAll(store, {}, { selector, fields: Object.keys(selector), most: Infinity, sorted: 0 })
  return rows.map(({ doc }) => doc)
}

/** @param {LiveEvent} event @param {string} bookmark */
function shown ({ type, id, row }, bookmark) {
  if (row === undefined || type === 'leave') return { type, ...(id !== undefined && { id }), bookmark }
  return { type, id, bookmark, ...(row.document === undefined ? { doc: row.doc } : { document: row.document }) }
}

module.exports = { liveSelector }
