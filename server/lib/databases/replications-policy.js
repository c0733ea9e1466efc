'use strict'

const crypto = require('node:crypto')
const { copyInTurns, isLargeCopy, parseText, setMember } = require('@potoroo/document-store')
const { stripCredentials } = require('@potoroo/replicator')
const { createError } = require('@potoroo/errors')
const { admit, isDatabaseAdmin, isServerAdmin } = require('../auth/access')
const { isReading } = require('../dispatch/route-table')
const { DatabaseView, VERBS } = require('./database-view')

/** @typedef {import('./database-view').AnyDatabase} AnyDatabase */
/** @typedef {import('../auth/authenticator').User} User */
/** @typedef {import('@potoroo/document-store').AllDocsOptions} AllDocsOptions */
/** @typedef {import('@potoroo/document-store').ChangesOptions} ChangesOptions */
/** @typedef {import('@potoroo/document-store').Document} Document */
/** @typedef {import('@potoroo/document-store').GetOptions} GetOptions */
/** @typedef {import('@potoroo/replicator').Replicator} Replicator */
/** @typedef {import('@potoroo/document-store').WriteOptions} WriteOptions */

/**
 * Databases whose documents are replications.
 * @param {string} name
 */
function isReplicatorName (name) { return name === '_replicator' || name.endsWith('/_replicator') }

/**
 * Routes that name no members are for its admins: indexes, for one, know the credentials in the documents.
 * @param {any} user
 * @param {import('../dispatch/route-table').Route} route
 * @param {string} name
 * @param {any} security
 */
function admitToReplications (user, route, name, security) {
  if (!isReplicatorName(name)) return
  admit(user, route.whoIn?.replications ?? 'database-admin', security)
  if (!isReading(route)) admitWriter(user)
}

/** A replication is done with somebody's rights, so that somebody has to ask for it. @param {User} user */
function admitWriter (user) {
  if (user.name === null && !isServerAdmin(user)) throw createError('UNAUTHORIZED', { reason: 'Only users with a name may write into a database of replications.' })
}

/**
 * A database of replications:
 *
 * - nobody writes without a name, by requests or by replications;
 * - a document that asks for a replication says so in a form that can be done, and belongs to its
 *   `owner`, who wrote it;
 * - others than its owner and the database's admins read it without credentials.
 *
 * @see https://docs.couchdb.org/en/stable/replication/replicator.html
 */
class ReplicationsPolicy extends DatabaseView {
  static { this.letPass([...VERBS.facts, 'getRevisionTree', 'revsDiff', 'purges', ...VERBS.localReads, 'compact', 'setRevsLimit', 'setPurgedInfosLimit', 'setRetention']) }

  #user
  #security
  #replicator
  #isAdmin

  /**
   * @param {AnyDatabase} below
   * @param {import('../auth/authenticator').User} user
   * @param {any} security
   * @param {{ validate: (doc: any) => void }} replicator
   */
  constructor (below, user, security, replicator) {
    super(below)
    this.#user = user
    this.#security = security
    this.#replicator = replicator
    this.#isAdmin = isDatabaseAdmin(user, security)
  }

  /** Documents are shown with what each may see of them, which live queries do not do. @returns {never} */
  get liveSource () { throw createError('FORBIDDEN', { reason: 'Databases of replications have no live queries' }) }

  /** @param {any} doc @param {WriteOptions} [options] */
  async put (doc, options) { return this.below.put(await this.#prepare(doc, options), options) }

  /** @param {any[]} docs @param {WriteOptions} [options] */
  async write (docs, options) {
    admitWriter(this.#user)
    const prepared = await Promise.all(docs.map(doc => this.#prepare(doc, options).catch(error => refusal(error, doc))))
    return this.below.write(prepared, options?.reads === undefined ? options : { ...options, reads: await Promise.all(options.reads.map(read => this.#storedRead(read))) })
  }

  /** @param {string} id @param {string} name @param {any} content @param {any} [options] */
  async putAttachment (id, name, content, options) {
    await this.#admitChange(id)
    return this.below.putAttachment(id, name, content, options)
  }

  /** @param {string} id @param {string} name @param {any} [options] */
  async removeAttachment (id, name, options) {
    await this.#admitChange(id)
    return this.below.removeAttachment(id, name, options)
  }

  /** @param {any} doc @param {any} [options] */
  async putLocal (doc, options) {
    admitWriter(this.#user)
    return this.below.putLocal(doc, options)
  }

  /** @param {any} doc @param {any} [options] */
  async removeLocal (doc, options) {
    admitWriter(this.#user)
    return this.below.removeLocal(doc, options)
  }

  /** @param {any} request @param {any} [options] */
  async purge (request, options) {
    admitWriter(this.#user)
    return this.below.purge(request, options)
  }

  /** @param {string} id @param {GetOptions} [options] */
  async get (id, options) { return this.#show(await this.below.get(id, options)) }
  /** @param {string} id @param {any} revs @param {any} [options] */
  async openRevs (id, revs, options) { return (await this.below.openRevs(id, revs, options)).map(found => this.#showEach(found)) }

  /** @param {any[]} requests @param {any} [options] */
  async bulkGet (requests, options) {
    const found = await this.below.bulkGet(requests, options)
    return found.map(each => !('others' in each) || each.others === undefined ? this.#showEach(each) : { ...this.#showEach(each), others: each.others.map(other => this.#show(other)) })
  }

  /** @param {string} id @param {string} name @param {any} [options] */
  async getAttachment (id, name, options) { return this.below.getAttachment(id, name, await this.#stored(id, options)) }

  /** @param {AllDocsOptions} [options] */
  async allDocs (options) {
    const result = await this.below.allDocs(options)
    return { ...result, rows: pagesOf(result.rows, page => this.#showPage(page)) }
  }

  /** @param {ChangesOptions} [options] */
  changes (options) { return this.#feed(this.below.changes(this.#stripped(options))) }
  /** @param {ChangesOptions} [options] */
  follow (options) { return this.#feed(this.below.follow(this.#stripped(options))) }

  /** @param {any} doc @param {WriteOptions | undefined} options */
  async #prepare (doc, options) {
    admitWriter(this.#user)
    const sets = options?.newEdits !== false
    const id = doc?._id
    if (doc instanceof Error || typeof doc !== 'object' || doc === null) return doc
    if (typeof id === 'string' && (id.startsWith('_design/') || id.startsWith('_local/'))) return doc
    await this.#admitChange(id)
    // Documents that are replicated were checked where they were written; their writer may be somebody else.
    const owner = ownerFor(doc, this.#user, this.#security, sets)
    if (sets && doc._deleted !== true && doc._replication_state !== 'failed') validate(doc, this.#replicator)
    return withOwner(doc, owner)
  }

  /** Somebody else's document is not changed, unless by administrators. @param {string} id */
  async #admitChange (id) {
    admitWriter(this.#user)
    if (typeof id !== 'string' || id.startsWith('_') || this.#isAdmin) return
    const owner = await ownerOf(this.below, id)
    if (owner !== undefined && owner !== null && owner !== this.#user.name) throw notYours()
  }

  /** Shows patches as they are: they may hold credentials. @param {string} id @param {{ limit?: number }} [options] */
  history (id, options) {
    if (!this.#isAdmin) throw createError(this.#user.name === null ? 'UNAUTHORIZED' : 'FORBIDDEN', { reason: 'You are not a db or server admin.' })
    return this.below.history(id, options)
  }

  /** @param {Document} document */
  #show (document) { return this.#isAdmin ? document : shown(document, this.#user) }

  /** @param {any} found */
  #showEach (found) { return 'ok' in found ? { ...found, ok: this.#show(found.ok) } : found }

  /** @param {any[]} page */
  #showPage (page) { return page.map(row => row.document ? { ...row, document: this.#show(row.document) } : row) }

  /**
   * An attachment is asked for by the revision that was shown, and found by the one that is stored.
   *
   * @param {string} id
   * @param {any} options
   */
  async #stored (id, options) {
    if (this.#isAdmin || options?.rev === undefined) return options
    const leaves = await this.below.openRevs(id, 'all')
    const leaf = leaves.flatMap(found => 'ok' in found ? [found.ok] : []).find(found => this.#show(found).rev === options.rev)
    return leaf === undefined ? options : { ...options, rev: leaf.rev }
  }

  /** @param {{ id: string, rev: string | null }} read */
  async #storedRead (read) {
    if (read.rev === null || read.id.startsWith('_')) return read
    const { rev } = await this.#stored(read.id, { rev: read.rev })
    return { ...read, rev }
  }

  /** Has a filter see the documents that are shown: what it passes would tell more. @param {any} options */
  #stripped (options) {
    if (this.#isAdmin || options?.filter === undefined) return options
    return {
      ...options,
      /** @param {any[]} changes */
      filter: changes => {
        for (const change of changes) if (change.document) change.document = this.#show(change.document)
        return options.filter(changes)
      }
    }
  }

  /** A feed that still says how far it is. @param {any} changes */
  #feed (changes) {
    if (this.#isAdmin) return changes
    const pages = () => pagesOf(changes, page => this.#showPage(page))
    return {
      get lastSeq () { return changes.lastSeq },
      get pending () { return changes.pending },
      [Symbol.asyncIterator]: pages
    }
  }
}

/** @param {any} error @param {any} doc */
function refusal (error, doc) { return Object.assign(error, { id: doc?._id, rev: doc?._rev }) }

/** The owner that a document is to have, undefined for none. @param {any} doc @param {User} user @param {any} security @param {boolean} sets */
function ownerFor (doc, user, security, sets) {
  if (isServerAdmin(user)) return (doc.owner === undefined || doc.owner === null) && sets ? user.name : doc.owner
  checkActing(doc.user_ctx, user)
  if (doc.owner === undefined || doc.owner === user.name) return user.name
  if (!isDatabaseAdmin(user, security)) throw notYours()
  if (doc.owner === null) return user.name
  // It would run with the owner's rights, not with those of who wrote it.
  if (isHere(doc.source) || isHere(doc.target)) throw notYours()
  return doc.owner
}

/** @param {any} doc @param {any} owner */
async function withOwner (doc, owner) {
  if (owner === undefined || doc.owner === owner) return doc
  try {
    if (isLargeCopy(doc)) return await copyInTurns(doc, () => true, { owner }, { exact: true })
  } catch (error) {
    // It is nested too deeply for that, which few are.
    if (!(error instanceof RangeError)) throw error
  }
  setMember(doc, 'owner', owner)
  return doc
}

/** Only administrators may have databases here used as another user. @param {any} context @param {User} user */
function checkActing (context, user) {
  if (context === undefined || context === null) return
  const { name = null, roles = [] } = context
  const mine = (name === null || name === user.name) && Array.isArray(roles) && roles.every(role => user.roles.includes(role))
  if (!mine) throw createError('FORBIDDEN', { reason: 'Only administrators may name another user in `user_ctx`.' })
}

/** @param {any} endpoint */
function isHere (endpoint) {
  const url = typeof endpoint === 'string' ? endpoint : endpoint?.url
  return typeof url === 'string' && !/^https?:\/\//.test(url)
}

/** @param {any} doc @param {Pick<Replicator, 'validate'>} replicator */
function validate (doc, replicator) {
  try {
    replicator.validate(doc)
  } catch (error) {
    throw createError('FORBIDDEN', { reason: error.reason ?? error.message })
  }
}

/** @param {AnyDatabase} store @param {string} id */
async function ownerOf (store, id) {
  try {
    const { body } = await store.get(id)
    return (await parseText(body)).owner
  } catch (error) {
    if (error.status === 404 || error.status === 400) return undefined
    throw error
  }
}

function notYours () { return createError('FORBIDDEN', { reason: 'Can\'t update replication documents from other users.' }) }

/** @param {AsyncIterable<any[]>} rows @param {(page: any[]) => any[]} showPage */
async function * pagesOf (rows, showPage) {
  for await (const page of rows) yield showPage(page)
}

const WITH_CREDENTIALS = ['source', 'target', 'proxy', 'source_proxy', 'target_proxy']

/**
 * Without credentials it is another document, so it has another revision, which is nowhere else.
 *
 * @param {Document} document
 * @param {User} user
 */
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

module.exports = { ReplicationsPolicy, admitToReplications, isReplicatorName }
