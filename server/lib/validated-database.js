'use strict'

const crypto = require('node:crypto')
const { toObject } = require('@potoroo/document-store')
const { createError } = require('@potoroo/errors')
const { checkDesign } = require('@potoroo/indexes')
const { overlay } = require('./overlay')

/**
 * The functions to ask of what is written to a store; read when they are first needed, and again
 * after a design document was written or purged. @type {WeakMap<object, { moment: string, functions: Promise<Functions[]> }>}
 * @typedef {import('@potoroo/query-server').Functions} Functions
 */
const known = new WeakMap()

/**
 * A database whose design documents' `validate_doc_update` functions are asked before each write.
 * They run for administrators too, but not for design documents and local documents. Design
 * documents are checked themselves.
 *
 * @param {import('@potoroo/document-store').DocumentStore} store
 * @param {import('./auth/authenticator').User} user
 * @param {any} security
 * @param {import('@potoroo/query-server').QueryServer} queryServer
 * @returns {import('@potoroo/document-store').DocumentStore}
 * @see https://docs.couchdb.org/en/stable/ddocs/ddocs.html#validate-document-update-functions
 */
function validated (store, user, security, queryServer) {
  const context = { userCtx: { db: store.name, name: user.name, roles: user.roles }, security: security ?? {} }
  const write = (docs, options) => writeValid(store, docs, options, context, queryServer)
  const admit = async (id, change) => {
    if (!isValidated(id) || (await functionsOf(store)).length === 0) return
    const [refusal] = await refusals(store, [await change()], undefined, context, queryServer)
    if (refusal !== null) throw refusal
  }
  return overlay(store, {
    write,
    async put (doc, options) {
      const [result] = await write([doc], options)
      if (result instanceof Error) throw result
      return result
    },
    async putAttachment (id, name, attachment, options) {
      await admit(id, () => withAttachment(store, id, name, { content_type: attachment.contentType, stub: true }, options))
      return store.putAttachment(id, name, attachment, options)
    },
    async removeAttachment (id, name, options) {
      await admit(id, () => withAttachment(store, id, name, undefined, options))
      return store.removeAttachment(id, name, options)
    }
  })
}

async function writeValid (store, docs, options, context, queryServer) {
  const checked = docs.some(doc => isDesign(doc?._id)) ? await Promise.all(docs.map(doc => designOrRefusal(doc, store, queryServer))) : docs
  if ((await functionsOf(store)).length === 0) return store.write(checked, options)
  const named = checked.map(withId)
  const refused = await refusals(store, named, options, context, queryServer)
  return store.write(named.map((doc, i) => refused[i] ?? doc), options)
}

async function designOrRefusal (doc, store, queryServer) {
  if (doc instanceof Error || !isDesign(doc?._id)) return doc
  try {
    await checkDesign(doc, queryServer, store)
    return doc
  } catch (error) {
    return Object.assign(error, { id: doc._id, rev: doc._rev })
  }
}

/** The functions see the id that is made up here. What is refused already stays as it is. */
function withId (doc) {
  if (doc instanceof Error || doc?._id !== undefined) return doc
  return { ...doc, _id: crypto.randomBytes(16).toString('hex') }
}

/** What refuses each document, null where nothing does. */
async function refusals (store, docs, options, { userCtx, security }, queryServer) {
  const asked = docs.filter(doc => !(doc instanceof Error) && isValidated(doc?._id))
  const refused = new Map()
  const calls = await Promise.all(asked.map(async doc => [shown(doc), await before(store, doc, options), userCtx, security]))
  for (const functions of calls.length === 0 ? [] : await functionsOf(store)) {
    const verdicts = await queryServer.validate(functions, calls)
    verdicts.forEach((verdict, i) => { if (verdict !== null && !refused.has(asked[i])) refused.set(asked[i], refusal(verdict, asked[i])) })
  }
  return docs.map(doc => refused.get(doc) ?? null)
}

function refusal ({ error, reason }, { _id: id, _rev: rev }) {
  if (error === 'forbidden') return createError('FORBIDDEN', { reason, id, rev })
  if (error === 'unauthorized') return createError('UNAUTHORIZED', { reason, id, rev })
  return createError('FUNCTION_ERROR', { error, reason, id, rev })
}

/** @returns {Promise<Functions[]>} one for each design document that has one */
function functionsOf (store) {
  const moment = `${store.designSeq} ${store.purgeSeq}`
  const last = known.get(store)
  if (last?.moment === moment) return last.functions
  const functions = readFunctions(store)
  known.set(store, { moment, functions })
  functions.catch(() => known.delete(store))
  return functions
}

async function readFunctions (store) {
  const functions = []
  const { rows } = await store.allDocs({ startkey: '_design/', endkey: '_design0', includeDocs: true })
  for await (const page of rows) {
    for (const { document } of page) {
      const ddoc = toObject(document)
      if (typeof ddoc.validate_doc_update === 'string') functions.push({ sources: [ddoc.validate_doc_update], library: ddoc, origin: { database: store.name, instance: store.instanceId, design: ddoc._id } })
    }
  }
  return functions
}

/** The document as the functions see it: content of attachments is not for them. */
function shown (doc) {
  if (!doc._attachments) return doc
  const stubs = Object.entries(doc._attachments).map(([name, { data, ...rest }]) => [name, { ...rest, stub: true }])
  return { ...doc, _attachments: Object.fromEntries(stubs) }
}

/** What stands now where the document will: its revision's parent, or nothing. */
async function before (store, { _id: id, _rev: rev, _revisions: path }, options) {
  if (options?.newEdits !== false) return current(store, id, rev)
  const ancestors = (path?.ids ?? []).slice(1).map((hash, i) => `${path.start - i - 1}-${hash}`)
  const found = ancestors.length === 0 ? [] : await store.openRevs(id, ancestors)
  const parent = found.find(each => each.ok !== undefined)
  return parent === undefined ? null : toObject(parent.ok)
}

/** A malformed revision or id is for the store to refuse. */
async function current (store, id, rev) {
  try {
    return toObject(await store.get(id, rev === undefined ? undefined : { rev }))
  } catch (error) {
    if (error.status === 404 || error.status === 400) return null
    throw error
  }
}

async function withAttachment (store, id, name, attachment, options) {
  const doc = await current(store, id, options?.rev) ?? { _id: id }
  const { [name]: replaced, ...others } = doc._attachments ?? {}
  return { ...doc, _attachments: attachment === undefined ? others : { ...others, [name]: attachment } }
}

function isDesign (id) { return typeof id === 'string' && id.startsWith('_design/') }

function isValidated (id) { return typeof id === 'string' && !isDesign(id) && !id.startsWith('_local/') }

module.exports = { validated }
