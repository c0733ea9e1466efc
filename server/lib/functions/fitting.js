'use strict'

const { carriedText, namesOf, parseText, Turn } = require('@potoroo/document-store')
const { CouchError, createError } = require('@potoroo/errors')

/** @typedef {import('./validation').SchemaRule} SchemaRule */

/** Milliseconds of a check that is slow, and those that slow ones that refuse may take of one write. */
const SLOW = 20
const MOST_SLOW = 500

/**
 * Puts refusals in the place of documents that do not fit a schema. Deletions have nothing to fit. If what is refused takes long,
 * no more of the same write is looked at: a schema that is slow on purpose costs others little.
 *
 * @param {any[]} docs
 * @param {Array<SchemaRule | CouchError>} schemas
 * @param {(id: any) => boolean} isValidated whether a document of this id is checked
 * @returns {Promise<any[]>}
 */
async function fitting (docs, schemas, isValidated) {
  const fit = []
  const turn = new Turn()
  let slow = 0
  for (const doc of docs) {
    if (doc instanceof Error || !isValidated(doc?._id)) {
      fit.push(doc)
      continue
    }
    const startedAt = performance.now()
    const found = slow > MOST_SLOW ? named(notChecked(), doc) : refusalOf(doc, schemas)
    const refusal = found instanceof Promise ? await found : found
    const taken = performance.now() - startedAt
    if (refusal !== null && taken > SLOW) slow += taken
    fit.push(refusal ?? doc)
    if (turn.isLong) await turn.end()
  }
  return fit
}

/**
 * Returns what the schemas have against a document, of the first one that refuses it.
 *
 * @param {any} doc
 * @param {Array<SchemaRule | CouchError>} schemas
 * @returns {Error | null | Promise<Error | null>}
 */
function refusalOf (doc, schemas) {
  if (doc._deleted === true) return null
  const text = carriedText(doc)
  if (text !== undefined && text.body !== '{}' && isBare(doc)) return refusalOfText(doc, text.body, schemas)
  return firstOf(doc, doc, text?.body.length, schemas)
}

/** Whether a document has its text alone for its members. @param {any} doc */
function isBare (doc) {
  for (const name in doc) if (name.charCodeAt(0) !== 95) return false
  return true
}

/** @param {any} doc @param {string} body @param {Array<SchemaRule | CouchError>} schemas */
async function refusalOfText (doc, body, schemas) {
  const members = await parseText(body)
  for (const name of namesOf(doc)) members[name] = doc[name]
  return firstOf(doc, members, body.length, schemas)
}

/** @param {any} doc @param {any} value the document with its members @param {number | undefined} length @param {Array<SchemaRule | CouchError>} schemas @returns {Error | null | Promise<Error | null>} */
function firstOf (doc, value, length, schemas) {
  for (let i = 0; i < schemas.length; i++) {
    const refusal = verdictOf(schemas[i], value, length)
    if (refusal instanceof Promise) return firstOfRest(doc, value, length, schemas, refusal, i)
    if (refusal !== null) return named(refusal, doc)
  }
  return null
}

/** @param {any} doc @param {any} value @param {number | undefined} length @param {Array<SchemaRule | CouchError>} schemas @param {Promise<Error | null>} first @param {number} at @returns {Promise<Error | null>} */
async function firstOfRest (doc, value, length, schemas, first, at) {
  const refusal = await first
  return refusal === null ? firstOf(doc, value, length, schemas.slice(at + 1)) : named(refusal, doc)
}

function notChecked () { return createError('FORBIDDEN', { reason: 'The document was not checked against schemas: others of the same write took too long' }) }

/** A selector may throw: a schema that cannot be asked refuses. @param {SchemaRule | CouchError} schema @param {any} value @param {number | undefined} length */
function verdictOf (schema, value, length) {
  if (schema instanceof CouchError) return createError(schema.code, { error: schema.error, reason: schema.reason, status: schema.status })
  try {
    return schema.check(value, length)
  } catch (error) {
    if (error.status === undefined) throw error
    return error
  }
}

/** @param {Error} refusal @param {any} doc */
function named (refusal, { _id: id, _rev: rev }) { return Object.assign(refusal, { id, rev }) }

module.exports = { fitting, refusalOf }
