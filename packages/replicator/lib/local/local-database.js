'use strict'

const { encodingForm, toEditable, toJson, toObjectInTurns, validateRevision } = require('@potoroo/document-store')
const { AttachmentContent, knownGeneration } = require('../replication/attachment-content')
const { ReplicationError, notFound, toFailure, unauthorized } = require('../replication/failure')

/** Changes of one page. */
const PAGE = 1000

/** Characters of documents that are in memory at a time, of one batch, and how many documents are read first, and at most. */
const LENGTH = 8 * 1024 * 1024
const FIRST = 32
const MOST = 500

/**
 * Opens a database here, as a user may use it.
 *
 * @typedef {object} LocalDatabases
 * @property {(name: string, user: any) => Promise<LocalAccess>} open
 * @property {(name: string, user: any) => Promise<void>} create nothing where it is there
 * @property {() => Promise<void>} flush makes what was written survive
 * @property {(name: string, user: any) => Requests | undefined} [requestsOf] of a database that is asked by requests; undefined of others
 *
 * @typedef {(request: { path: string, method: string, headers: Record<string, string | number>, body?: any, signal: AbortSignal }) => Promise<any>} Requests
 *
 * @typedef {object} LocalAccess
 * @property {import('../..').LocalAccess['database']} database guarded
 * @property {(seq: number) => string} formatSequence
 * @property {(seq: any) => number} parseSequence
 * @property {(request: import('../request/request').ReplicationRequest) => Promise<any>} changesOptions what its filter is for `changes()`
 */

/**
 * A database here, as a side of a replication.
 *
 * @typedef {import('@potoroo/document-store').Document} Document
 * @typedef {import('../replication/side').Wanted} Wanted
 * @typedef {import('../replication/side').FetchedDocument} FetchedDocument
 */
class LocalDatabase {
  #databases
  #user
  #request
  #signal
  /** Documents that are read at a time: fewer where they are long. */
  #atOnce = FIRST
  /** @type {LocalAccess} */
  #access = /** @type {any} */ (null)

  /**
   * @param {string} name
   * @param {{ databases: LocalDatabases, user: any, request: import('../request/request').ReplicationRequest, signal: AbortSignal }} context
   */
  constructor (name, { databases, user, request, signal }) {
    this.shown = name
    this.#databases = databases
    this.#user = user
    this.#request = request
    this.#signal = signal
  }

  get #database () { return this.#access.database }

  /** @param {boolean} create */
  async open (create) {
    try {
      if (create) await this.#databases.create(this.shown, this.#user)
      this.#access = await this.#databases.open(this.shown, this.#user)
    } catch (error) {
      if (error.status === 404) throw notFound(this.shown)
      if (error.status === 401) throw unauthorized(this.shown)
      if (error.status === 403) throw new ReplicationError('forbidden', this.shown)
      throw toFailure(error)
    }
    return { updateSeq: this.#access.formatSequence(this.#database.updateSeq), instance: await this.#instance() }
  }

  async #instance () {
    return String(Math.floor((await this.#database.info()).createdAt / 1000))
  }

  /** @param {string} id */
  async getLocal (id) {
    try {
      const { rev, body } = await this.#database.getLocal(id)
      return { ...JSON.parse(body), _id: id, _rev: rev }
    } catch (error) {
      if (error.status === 404) return null
      throw error
    }
  }

  /** @param {any} doc */
  async putLocal (doc) {
    return (await this.#database.putLocal(doc, { checkLocal: false })).rev
  }

  async commit () {
    await this.#databases.flush()
    return this.#instance()
  }

  /** @param {any} since */
  async * untilNow (since) {
    yield * this.#pages(options => this.#database.changes(options), since)
  }

  /** @param {any} since */
  async * asTheyHappen (since) {
    yield * this.#pages(options => this.#database.follow({ ...options, signal: this.#signal }), since)
  }

  /**
   * @param {(options: import('@potoroo/document-store').ChangesOptions) => import('@potoroo/document-store').Changes} read
   * @param {any} since
   * @returns {AsyncGenerator<import('../remote/remote-changes').ChangesPage>}
   */
  async * #pages (read, since) {
    const { winningRevsOnly } = this.#request
    const changes = read({
      ...await this.#access.changesOptions(this.#request),
      since: this.#access.parseSequence(since),
      style: winningRevsOnly ? 'main_only' : 'all_docs',
      pending: false
    })
    for await (const page of changes) {
      for (let i = 0; i < page.length; i += PAGE) {
        const part = page.slice(i, i + PAGE)
        yield this.#toPage(part, i + PAGE < page.length ? part[part.length - 1].seq : changes.lastSeq)
      }
      if (page.length === 0) yield this.#toPage([], changes.lastSeq)
    }
  }

  /** @param {import('@potoroo/document-store').Change[]} changes @param {number} lastSeq */
  #toPage (changes, lastSeq) {
    return {
      changes: changes.map(({ id, seq, changes: leaves }) => ({ id, seq: this.#access.formatSequence(seq), revs: leaves.map(({ rev }) => rev) })),
      lastSeq: this.#access.formatSequence(lastSeq),
      pending: null
    }
  }

  /** @param {any} since */
  async pending (since) {
    return Math.max(0, this.#database.updateSeq - this.#access.parseSequence(since))
  }

  /** @param {string} design @param {string} name */
  async filterCode (design, name) {
    try {
      return JSON.parse((await this.#database.get(`_design/${design}`)).body).filters?.[name]
    } catch (error) {
      throw new ReplicationError('filter_fetch_error', `Couldn't open document \`_design/${design}\` from source database \`${this.shown}\`: ${error.reason}`)
    }
  }

  /** @param {Map<string, string[]>} revs @returns {Promise<Wanted[]>} */
  async revsDiff (revs) {
    const asked = Array.from(revs, ([id, some]) => [id, some.filter(isPossible)])
    const diff = await this.#database.revsDiff(Object.fromEntries(asked))
    const wanted = Object.entries(diff).flatMap(([id, { missing, possible_ancestors: attsSince = [] }]) => missing.map(rev => ({ id, rev, attsSince })))
    // Each of these is refused where it is written, and no other with it.
    for (const [id, some] of revs) for (const rev of some) if (!isPossible(rev)) wanted.push({ id, rev, attsSince: [] })
    return wanted
  }

  /** @param {Wanted[]} wanted @returns {AsyncGenerator<import('../replication/side').Fetched[]>} */
  async * fetch (wanted) {
    for (let at = 0; at < wanted.length;) {
      const part = wanted.slice(at, at + this.#atOnce)
      const found = await this.#database.bulkGet(part.map(({ id, rev }) => ({ id, rev })), { revs: true, latest: true })
      const length = found.reduce((sum, each) => sum + ('ok' in each ? each.ok.body.length : 0), 0)
      this.#atOnce = Math.max(1, Math.min(MOST, Math.floor(LENGTH * part.length / Math.max(1, length))))
      at += part.length
      yield found.map((each, i) => 'ok' in each ? this.#toFetched(each.ok, part[i]) : { ...part[i], missing: true, reason: String(each.error) })
    }
  }

  /** @param {Document} document @param {Wanted} wanted @returns {FetchedDocument} */
  #toFetched (document, { attsSince }) {
    const { id, rev, attachments, revisions } = document
    const alone = attachments === null ? document : { ...document, attachments: null }
    const known = attachments === null ? 0 : knownGeneration(revisions, attsSince)
    return {
      id,
      rev,
      bulkGet: true,
      attachments: attachments && Object.fromEntries(Object.entries(attachments).map(([name, info]) => [name, this.#toAttachment(document, name, info, known)])),
      bare: () => toJson(alone),
      doc: mayBeBare => mayBeBare ? toEditable(alone) : toObjectInTurns(alone, { exact: true })
    }
  }

  /**
   * With its bytes as they are stored.
   *
   * @param {Document} document
   * @param {string} name
   * @param {import('@potoroo/document-store').AttachmentInfo} info
   * @param {number} known
   */
  #toAttachment (document, name, info, known) {
    const { contentType, digest, length, revpos, encodedLength = length } = info
    const stub = { content_type: contentType, digest, length, revpos, ...encodingForm(info) }
    if (revpos <= known) return { ...stub, stub: true }
    return { ...stub, data: new AttachmentContent(encodedLength, async () => (await this.#database.getAttachment(document.id, name, { document })).streamStored()) }
  }

  /** @param {FetchedDocument[]} documents */
  async write (documents) {
    const docs = []
    for (const { id, doc, attachments } of documents) docs.push(Object.assign(await doc(this.#takesBare(id)), attachments !== null && { _attachments: attachments }))
    const results = await this.#database.write(docs, { newEdits: false })
    return results.flatMap((result, i) => result instanceof Error ? [refusal(documents[i], result)] : [])
  }

  /** Design documents are looked at before they are written. @param {string} id */
  #takesBare (id) { return this.#database.takesBare === true && !id.startsWith('_') }

  async close () {
    // It is the server's, and stays open.
  }
}

/** Faults of ours, or of the storage: they are none of the document's. */
const FAULTS = new Set(['CLOSED', 'INTERNAL', 'NO_SPACE'])

/** @param {import('../replication/side').FetchedDocument} document @param {any} error */
function refusal ({ id, rev }, error) {
  if (error.status === undefined || FAULTS.has(error.code)) throw error
  return { id, rev, error: error.error, reason: error.reason, missingStub: error.code === 'MISSING_STUB' }
}

/** Whether a database here may have it: CouchDB takes others, too. @param {string} rev */
function isPossible (rev) {
  try {
    validateRevision(rev)
    return true
  } catch {
    return false
  }
}

module.exports = { LocalDatabase }
