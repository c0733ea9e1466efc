'use strict'

const crypto = require('node:crypto')
const { carriedText, publicName, toEditable } = require('@potoroo/document-store')
const { checkDesign } = require('@potoroo/indexes')
const { fitting, refusalOf } = require('../functions/fitting')
const { CONFLICT, conflictOf, current, refusalsOf, rulesOf } = require('../functions/validation')
const { DatabaseView, VERBS } = require('./database-view')

/** @typedef {import('./database-view').AnyDatabase} AnyDatabase */
/** @typedef {import('@potoroo/query-server').QueryServer} QueryServer */
/** @typedef {import('@potoroo/document-store').WriteOptions} WriteOptions */

/** Documents that functions are asked of at once. */
const MOST_ASKED = 500

/**
 * Asks the schemas of design documents, `validate_schema`, and then their `validate_doc_update` functions before each write. They run for
 * administrators too, but not for design documents and local documents. Design documents are checked
 * themselves.
 *
 * @see https://docs.couchdb.org/en/stable/ddocs/ddocs.html#validate-document-update-functions
 */
class ValidationPolicy extends DatabaseView {
  static { this.letPass([...VERBS.facts, ...VERBS.live, ...VERBS.reads, ...VERBS.localReads, ...VERBS.localWrites, ...VERBS.administration]) }

  #context
  #queryServer
  /** The user who writes, for the store. @type {Pick<WriteOptions, 'user'>} */
  #author
  #whole

  /**
   * @param {AnyDatabase} below
   * @param {import('../auth/authenticator').User} user
   * @param {any} security
   * @param {import('@potoroo/query-server').QueryServer} queryServer
   * @param {AnyDatabase} [whole] the database, where a part of it is below
   */
  constructor (below, user, security, queryServer, whole = below) {
    super(below)
    this.#context = { userCtx: { db: publicName(below.name), name: user.name, roles: user.roles }, security: security ?? {} }
    this.#queryServer = queryServer
    this.#author = Object.freeze({ user: Object.freeze({ name: user.name, roles: user.roles }) })
    this.#whole = whole
  }

  // Functions and schemas are asked with the text, and what is below looks at ids alone.
  get takesBare () { return true }

  /** @param {any[]} docs @param {WriteOptions} [options] */
  async write (docs, options) { return writeValid(this.below, docs, { ...options, ...this.#author }, this.#context, this.#queryServer, this.#whole) }

  /** @param {any} doc @param {WriteOptions} [options] */
  async put (doc, options) {
    const [result] = await this.write([doc], options)
    if (result instanceof Error) throw result
    return result
  }

  /** @param {string} id @param {string} name @param {any} attachment @param {any} [options] */
  async putAttachment (id, name, attachment, options) {
    await this.#admit(id, () => withAttachment(this.below, id, name, { content_type: attachment.contentType, stub: true }, options))
    return this.below.putAttachment(id, name, attachment, { ...options, ...this.#author })
  }

  /** @param {string} id @param {string} name @param {any} [options] */
  async removeAttachment (id, name, options) {
    await this.#admit(id, () => withAttachment(this.below, id, name, undefined, options))
    return this.below.removeAttachment(id, name, { ...options, ...this.#author })
  }

  /** @param {string} id @param {() => Promise<any>} change */
  async #admit (id, change) {
    if (!isValidated(id)) return
    const { functions, schemas } = await rulesOf(this.#whole)
    if (functions.length === 0 && schemas.length === 0) return
    const doc = await change()
    const unfit = await refusalOf(doc, schemas)
    if (unfit !== null) throw unfit
    const [refusal] = await refusalsOf(this.below, [doc], undefined, this.#context, this.#queryServer, functions)
    if (refusal !== null) throw refusal
  }
}

/**
 * @param {AnyDatabase} store
 * @param {any[]} docs
 * @param {WriteOptions} options
 * @param {any} context
 * @param {QueryServer} queryServer
 * @param {AnyDatabase} whole
 */
async function writeValid (store, docs, options, context, queryServer, whole) {
  const checked = docs.some(doc => isDesign(doc?._id)) ? await Promise.all(docs.map(doc => designOrRefusal(doc, store, queryServer, options))) : docs
  const { functions, schemas } = await rulesOf(whole)
  const fit = schemas.length === 0 ? checked : await fitting(checked.map(withId), schemas, isValidated)
  if (functions.length === 0) return store.write(fit, options)
  const named = fit.map(withId)
  const asked = named.filter(doc => !(doc instanceof Error) && isValidated(doc?._id))
  /** @type {Array<Error | null>} */
  const refusals = []
  for (let i = 0; i < asked.length; i += MOST_ASKED) {
    for (const each of await refusalsOf(store, asked.slice(i, i + MOST_ASKED), options, context, queryServer, functions)) refusals.push(each)
  }
  const refused = new Map(asked.map((doc, i) => [doc, refusals[i]]))
  return store.write(named.map(doc => refused.get(doc) ?? doc), options)
}

/** @param {any} doc @param {AnyDatabase} store @param {QueryServer} queryServer @param {WriteOptions} options */
async function designOrRefusal (doc, store, queryServer, options) {
  if (doc instanceof Error || !isDesign(doc?._id)) return doc
  try {
    await checkDesign(doc, queryServer, store, options)
    return doc
  } catch (error) {
    return Object.assign(error, { id: doc._id, rev: doc._rev })
  }
}

/** The functions see the id that is made up here. A document that is refused already stays as it is. @param {any} doc */
function withId (doc) {
  if (doc instanceof Error || doc?._id !== undefined) return doc
  // A copy carries no text, and one of a large document takes long.
  if (typeof doc === 'object' && doc !== null && carriedText(doc) !== undefined) return Object.assign(doc, { _id: newId() })
  return { ...doc, _id: newId() }
}

function newId () { return crypto.randomBytes(16).toString('hex') }

/** @param {AnyDatabase} store @param {string} id @param {string} name @param {any} attachment its stub; undefined removes it @param {any} options */
async function withAttachment (store, id, name, attachment, options) {
  const document = await current(store, id, options?.rev)
  if (document === CONFLICT) throw conflictOf({ _id: id, _rev: options?.rev })
  const doc = document === null ? { _id: id } : toEditable(document)
  const { [name]: replaced, ...others } = doc._attachments ?? {}
  doc._attachments = attachment === undefined ? others : { ...others, [name]: attachment }
  return doc
}

/** @param {string} id */
function isDesign (id) { return typeof id === 'string' && id.startsWith('_design/') }

/** @param {string} id */
function isValidated (id) { return typeof id === 'string' && !isDesign(id) && !id.startsWith('_local/') }

module.exports = { ValidationPolicy }
