'use strict'

const { metaForm, restore } = require('@potoroo/document-store')
const errors = require('pouchdb-errors')
const { adapterFun } = require('pouchdb-utils')

const { answer } = require('./call-back')
const { toPouchError } = require('./pouch-error')

const { createError } = errors

/**
 * @typedef {import('./adapter').Adapter} Adapter
 */

/**
 * Says what is kept of earlier versions.
 *
 * @param {Adapter} adapter
 * @param {any} limits `{ retain, versions }`; null or nothing in it: nothing is kept
 */
async function keepHistory ({ store }, limits) {
  await store.setRetention(limits ?? {})
  return { ok: true }
}

/**
 * Lists the versions of a document, the latest first.
 *
 * @param {Adapter} adapter
 * @param {any} id
 * @param {any} options
 */
async function history ({ store }, id, { limit } = /** @type {any} */ ({})) {
  const entries = []
  for await (const page of store.history(id, { limit })) {
    for (const { rev, deleted, patch, ...origin } of page) {
      entries.push({ ...metaForm(origin), rev, deleted, ...(patch !== undefined && { patch: JSON.parse(patch) }) })
    }
  }
  return { id, history: entries }
}

/**
 * Makes documents what they were at a moment.
 *
 * @param {Adapter} adapter
 * @param {any} request `{ at, docs: [id] }`
 */
async function restoreDocuments (adapter, { at, docs } = /** @type {any} */ ({})) {
  if (!Array.isArray(docs)) throw createError(errors.BAD_REQUEST, '`docs` must be an array of ids.')
  const { store } = adapter
  const database = {
    get: store.get.bind(store),
    getAttachment: store.getAttachment.bind(store),
    write: (/** @type {any[]} */ written) => adapter.write(written, {})
  }
  const results = []
  for await (const part of restore(database, at, docs)) results.push(...part)
  return results.map(result => result instanceof Error ? toPouchError(result, result.id) : result)
}

/**
 * pouchdb-core has no such methods.
 *
 * @param {any} db the PouchDB instance
 * @param {() => Adapter} adapter once it is open
 */
function installHistory (db, adapter) {
  for (const [name, work] of Object.entries({ keepHistory, history, restore: restoreDocuments })) {
    db[name] = adapterFun(name, (/** @type {any[]} */ ...args) => {
      const callback = args.pop()
      answer(/** @type {(...args: any[]) => Promise<any>} */ (work)(adapter(), ...args), callback)
    })
  }
}

module.exports = { installHistory }
