'use strict'

const crypto = require('node:crypto')
const { setMember } = require('@potoroo/document-store')
const { stripCredentials } = require('@potoroo/replicator')
const { createError } = require('@potoroo/errors')
const { admit, isDatabaseAdmin, isServerAdmin } = require('../auth/access')

/**
 * Databases whose documents are replications.
 * @param {string} name
 */
function isReplicatorName (name) { return name === '_replicator' || name.endsWith('/_replicator') }

/** Routes whose answers come from indexes, which know the credentials in the documents. */
const INDEXED = /\/(_view|_find|_explain|_list|_show|_update|_search|_partition)(\/|$)/

/** Requests by POST that write documents; those by PUT, DELETE and COPY all change something. */
const POSTED = new Set(['/:db', '/:db/_bulk_docs', '/:db/:doc'])

/** @param {any} user @param {import('../route-table').Route} route */
function admitToReplications (user, { method, path }, name, security) {
  if (!isReplicatorName(name)) return
  if (INDEXED.test(path)) admit(user, 'database-admin', security)
  if (!READING.has(method) && (method !== 'POST' || POSTED.has(path))) admitWriter(user)
}

const READING = new Set(['GET', 'HEAD'])

/** A replication is done with somebody's rights, so that somebody has to ask for it. */
function admitWriter (user) {
  if (isNobody(user)) throw createError('UNAUTHORIZED', { reason: 'Only users with a name may write into a database of replications.' })
}

function isNobody (user) { return user.name === null && !isServerAdmin(user) }

/** The same for writes that come by no request of HTTP: those of replications. */
const WRITES = ['put', 'write', 'putLocal', 'removeLocal', 'putAttachment', 'removeAttachment', 'purge']

/**
 * What stands in front of such a database's own methods, for one user:
 *
 * - nobody writes without a name;
 * - a document that asks for a replication says so in a form that can be done, and belongs to its
 *   `owner`, who wrote it;
 * - others than its owner and the database's admins read it without credentials.
 *
 * @param {import('@potoroo/document-store').DocumentStore} store
 * @param {import('../auth/authenticator').User} user
 * @param {any} security
 * @param {{ validate: (doc: any) => void }} replicator
 * @returns {Record<string, (...args: any[]) => any>}
 * @see https://docs.couchdb.org/en/stable/replication/replicator.html
 */
function replicatorMethods (store, user, security, replicator) {
  if (isNobody(user)) return { ...Object.fromEntries(WRITES.map(name => [name, async () => admitWriter(user)])), ...reads(store, user) }
  const prepare = (doc, newEdits) => prepareDocument(store, doc, newEdits, { user, security, replicator })
  const writes = {
    async put (doc, options) { return store.put(await prepare(doc, options?.newEdits !== false), options) },
    async write (docs, options) {
      return store.write(await Promise.all(docs.map(doc => prepare(doc, options?.newEdits !== false).catch(error => refusal(error, doc)))), options)
    },
    async putAttachment (id, name, content, options) { await admitChange(store, id, user, security); return store.putAttachment(id, name, content, options) },
    async removeAttachment (id, name, options) { await admitChange(store, id, user, security); return store.removeAttachment(id, name, options) }
  }
  return isDatabaseAdmin(user, security) ? writes : { ...writes, ...reads(store, user) }
}

function refusal (error, doc) { return Object.assign(error, { id: doc?._id, rev: doc?._rev }) }

async function prepareDocument (store, doc, newEdits, { user, security, replicator }) {
  const id = doc?._id
  if (doc instanceof Error || typeof doc !== 'object' || doc === null) return doc
  if (typeof id === 'string' && (id.startsWith('_design/') || id.startsWith('_local/'))) return doc
  await admitChange(store, id, user, security)
  // What replicates was checked where it was written; who wrote it may be somebody else.
  if (!newEdits) return owned(doc, user, security, false)
  const result = owned(doc, user, security, true)
  if (doc._deleted !== true && doc._replication_state !== 'failed') validate(result, replicator)
  return result
}

function owned (doc, user, security, sets) {
  if (isServerAdmin(user)) return doc.owner === undefined || doc.owner === null ? withOwner(doc, sets ? user.name : doc.owner) : doc
  checkActing(doc.user_ctx, user)
  if (doc.owner === undefined) return withOwner(doc, user.name)
  if (doc.owner === user.name) return doc
  if (!isDatabaseAdmin(user, security)) throw notYours()
  if (doc.owner === null) return withOwner(doc, user.name)
  // It would run with the owner's rights, not with those of who wrote it.
  if (isHere(doc.source) || isHere(doc.target)) throw notYours()
  return doc
}

function withOwner (doc, owner) {
  if (owner !== undefined && doc.owner !== owner) setMember(doc, 'owner', owner)
  return doc
}

/** Nobody but administrators may have databases here used as anybody else. */
function checkActing (context, user) {
  if (context === undefined || context === null) return
  const { name = null, roles = [] } = context
  const mine = (name === null || name === user.name) && Array.isArray(roles) && roles.every(role => user.roles.includes(role))
  if (!mine) throw createError('FORBIDDEN', { reason: 'Only administrators may name another user in `user_ctx`.' })
}

function isHere (endpoint) {
  const url = typeof endpoint === 'string' ? endpoint : endpoint?.url
  return typeof url === 'string' && !/^https?:\/\//.test(url)
}

function validate (doc, replicator) {
  try {
    replicator.validate(doc)
  } catch (error) {
    throw createError('FORBIDDEN', { reason: error.reason ?? error.message })
  }
}

/** Somebody else's document is not changed, unless by administrators. */
async function admitChange (store, id, user, security) {
  if (typeof id !== 'string' || id.startsWith('_') || isDatabaseAdmin(user, security)) return
  const owner = await ownerOf(store, id)
  if (owner !== undefined && owner !== null && owner !== user.name) throw notYours()
}

async function ownerOf (store, id) {
  try {
    return JSON.parse((await store.get(id)).body).owner
  } catch (error) {
    if (error.status === 404 || error.status === 400) return undefined
    throw error
  }
}

function notYours () { return createError('FORBIDDEN', { reason: 'Can\'t update replication documents from other users.' }) }

function reads (store, user) {
  const show = document => shown(document, user)
  const showEach = found => 'ok' in found ? { ...found, ok: show(found.ok) } : found
  const showPage = page => page.map(row => row.document ? { ...row, document: show(row.document) } : row)
  return {
    async get (...args) { return show(await store.get(...args)) },
    async openRevs (...args) { return (await store.openRevs(...args)).map(showEach) },
    async bulkGet (...args) { return (await store.bulkGet(...args)).map(found => found.others === undefined ? showEach(found) : { ...showEach(found), others: found.others.map(show) }) },
    async getAttachment (id, name, options) { return store.getAttachment(id, name, await stored(store, id, options, show)) },
    async allDocs (options) {
      const result = await store.allDocs(options)
      return { ...result, rows: pagesOf(result.rows, showPage) }
    },
    changes: options => feed(store.changes(stripped(options, show)), showPage),
    follow: options => feed(store.follow(stripped(options, show)), showPage)
  }
}

/** Attachments are asked for by the revision that was shown, and are found by the one that is stored. */
async function stored (store, id, options, show) {
  if (options?.rev === undefined) return options
  const leaves = await store.openRevs(id, 'all')
  const leaf = leaves.find(found => 'ok' in found && show(found.ok).rev === options.rev)
  return leaf === undefined ? options : { ...options, rev: leaf.ok.rev }
}

/** What a filter passes would tell what it sees. */
function stripped (options, show) {
  if (options?.filter === undefined) return options
  return {
    ...options,
    filter (changes) {
      for (const change of changes) if (change.document) change.document = show(change.document)
      return options.filter(changes)
    }
  }
}

async function * pagesOf (rows, showPage) {
  for await (const page of rows) yield showPage(page)
}

/** A feed that still says how far it is. */
function feed (changes, showPage) {
  return {
    get lastSeq () { return changes.lastSeq },
    get pending () { return changes.pending },
    [Symbol.asyncIterator]: () => pagesOf(changes, showPage)
  }
}

const WITH_CREDENTIALS = ['source', 'target', 'proxy', 'source_proxy', 'target_proxy']

/** Without credentials it is another document, so it has another revision, which is nowhere else. */
function shown (document, user) {
  if (document.id.startsWith('_design/') || !/"(?:source|target)"/.test(document.body)) return document
  const doc = JSON.parse(document.body)
  if (doc.owner === user.name && user.name !== null) return document
  for (const name of WITH_CREDENTIALS) if (doc[name] !== undefined) doc[name] = stripCredentials(doc[name])
  const body = JSON.stringify(doc)
  if (body === document.body) return document
  const hash = crypto.createHash('md5').update(document.rev).update(body).digest('hex')
  const { revisions } = document
  return {
    ...document,
    rev: `${parseInt(document.rev, 10)}-${hash}`,
    body,
    ...(revisions && { revisions: { start: revisions.start, ids: [hash, ...revisions.ids.slice(1)] } })
  }
}

module.exports = { admitToReplications, isReplicatorName, replicatorMethods }
