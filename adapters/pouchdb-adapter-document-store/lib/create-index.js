'use strict'

const { badRequest } = require('@potoroo/errors')
const { toQueryError } = require('./pouch-error')

/**
 * Refuses indexes that pouchdb-find does not have: it would make one of JSON of any type that is named, by which no find is
 * quicker, and a `TypeError` of one without fields.
 *
 * @param {any} db the PouchDB instance
 */
function installCreateIndex (db) {
  if (typeof db.createIndex !== 'function') return
  db.createIndex = (/** @type {any[]} */ ...args) => {
    const refusal = refusalOf(args[0])
    if (refusal === null) return Object.getPrototypeOf(db).createIndex.apply(db, args)
    const error = toQueryError(badRequest(refusal))
    const callback = args.at(-1)
    if (typeof callback !== 'function') return Promise.reject(error)
    queueMicrotask(() => callback(error))
  }
}

/** @param {any} request in any of the forms that pouchdb-find takes @returns {string | null} */
function refusalOf (request) {
  if (typeof request !== 'object' || request === null) return "createIndex takes an object: { index: { fields: ['title'] } }"
  const { type, fields } = { ...request, ...request.index }
  if (type && type !== 'json') return `createIndex makes no index of the type ${JSON.stringify(type)}: \`search\` of the database makes those of text and of vectors`
  return Array.isArray(fields) ? null : "createIndex wants the fields of the index: { index: { fields: ['title'] } }"
}

module.exports = { installCreateIndex }
