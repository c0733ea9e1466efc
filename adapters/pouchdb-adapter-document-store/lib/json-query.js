'use strict'

const { JsonQuery, Mango } = require('@potoroo/indexes')
const { adapterFun } = require('pouchdb-utils')

const { answer } = require('./call-back')

/** It learns nothing: see `EmbeddedViews`. */
const mango = new Mango()

/**
 * Answers a JSONQuery over all documents.
 *
 * @param {import('./adapter').Adapter} adapter
 * @param {any} query
 * @param {any} [options] `{ args, explain }`: values for `$1` to `$9`; whether only to tell how it is carried out
 */
async function jsonQuery ({ store }, query, { args, explain } = {}) {
  const asked = new JsonQuery(query, args)
  return explain ? asked.explain(mango, store) : asked.in(mango, store)
}

/**
 * pouchdb-core has no such method.
 *
 * @param {any} db the PouchDB instance
 * @param {() => import('./adapter').Adapter} adapter once it is open
 */
function installJsonQuery (db, adapter) {
  db.jsonQuery = adapterFun('jsonQuery', (/** @type {any[]} */ ...args) => {
    const callback = args.pop()
    const [query, options] = args
    answer(jsonQuery(adapter(), query, options), callback)
  })
}

module.exports = { installJsonQuery }
