'use strict'

const { readAttachments } = require('./attachments')
const { DOCUMENTS, LOCALS, everything, sequenceKey, sequenceOf, sequencesAfter } = require('./keys')
const { leavesOf } = require('./leaves')
const { READ_AHEAD, UTF8, openPouchLevel } = require('./open')

/** Rows of by-sequence that are read at once. */
const ROWS = 500

/** pouchdb-security, and with it PouchDB Server, keeps the security object here, as the member `security`. */
const SECURITY = '_local/_security'

/**
 * A database of pouchdb-adapter-leveldb, in its folder.
 *
 * @implements {Source}
 * @typedef {import('../import/source').Source} Source
 * @typedef {import('../import/source').Change} Change
 * @typedef {import('../import/source').Failure} Failure
 * @typedef {import('../import/source').Revision} Revision
 * @typedef {import('./leaves').Leaf} Leaf
 * @typedef {Change & { leaves: Leaf[], sequences: Record<string, number> }} DocumentRecord
 *   `sequences`: keys of the revisions' bodies
 */
class PouchLevelSource {
  #level
  #updateSeq
  numbered = true
  partitioned = false

  /**
   * Use `open`.
   * @param {string} name
   * @param {string} folder
   * @param {Awaited<ReturnType<typeof openPouchLevel>>} opened
   */
  constructor (name, folder, { level, uuid, updateSeq }) {
    this.name = name
    this.label = folder
    this.identity = `pouchdb:${uuid}`
    this.#level = level
    this.#updateSeq = updateSeq
  }

  /**
   * @param {string} name
   * @param {string} folder
   */
  static async open (name, folder) {
    return new PouchLevelSource(name, folder, await openPouchLevel(folder))
  }

  async updateSeq () { return this.#updateSeq }

  /**
   * Gives changes in the order of the sequence. Rows that a later one of their document supersedes are passed over.
   * @param {number} since
   */
  async * changes (since) {
    const iterator = this.#level.iterator({ ...sequencesAfter(since), ...UTF8, highWaterMarkBytes: READ_AHEAD })
    let before = since
    try {
      while (true) {
        const rows = await iterator.nextv(ROWS)
        if (rows.length === 0) return
        const last = sequenceOf(rows[rows.length - 1][0])
        yield { ...await this.#newest(rows), since: last, done: last - before, left: Math.max(0, this.#updateSeq - last) }
        before = last
      }
    } finally {
      await iterator.close()
    }
  }

  /** @param {Array<[string, string]>} rows */
  async #newest (rows) {
    const failures = /** @type {Failure[]} */ ([])
    const parsed = rows.map(([key, text]) => ({ seq: sequenceOf(key), row: parseOr(text, failures, `sequence ${sequenceOf(key)}`) }))
    const readable = parsed.filter(({ row }) => row !== null)
    const records = await this.#records(readable.map(({ row }) => row._id), failures)
    const changes = /** @type {Change[]} */ ([])
    readable.forEach(({ seq, row }, i) => {
      if (records[i]?.seq === seq) changes.push({ ...records[i], row })
    })
    return { changes, failures }
  }

  /** @param {string[]} ids */
  async leaves (ids) {
    const failures = /** @type {Failure[]} */ ([])
    const changes = (await this.#records(ids, failures)).filter(record => record !== null)
    return { changes, failures }
  }

  /**
   * @param {string[]} ids
   * @param {Failure[]} failures
   * @returns {Promise<Array<DocumentRecord | null>>} null for those that failed
   */
  async #records (ids, failures) {
    const texts = await this.#level.getMany(ids.map(id => DOCUMENTS + id), UTF8)
    return ids.map((id, i) => {
      if (texts[i] === undefined) {
        failures.push({ id: String(id), reason: 'its revision tree is missing' })
        return null
      }
      const metadata = parseOr(texts[i], failures, id)
      return metadata === null ? null : toRecord(id, metadata, failures)
    })
  }

  /** @param {Change[]} changes @param {{ content?: boolean }} [options] */
  async read (changes, { content = true } = {}) {
    const documents = []
    const failures = []
    for (const change of changes) {
      const revisions = []
      for (const leaf of change.leaves.filter((/** @type {Leaf} */ { rev }) => change.revs.includes(rev))) {
        try {
          revisions.push(await this.#readLeaf(change, leaf, content))
        } catch (error) {
          failures.push({ id: change.id, rev: leaf.rev, reason: error.message })
        }
      }
      if (revisions.length > 0) documents.push({ id: change.id, seq: change.seq, revisions })
    }
    return { documents, failures }
  }

  /** @param {Change} change @param {Leaf} leaf @param {boolean} content @returns {Promise<Revision>} */
  async #readLeaf (change, { rev, deleted, revisions }, content) {
    const seq = change.sequences[rev]
    if (seq === undefined) throw new Error('its body is missing')
    const body = seq === change.seq && change.row ? change.row : await this.#body(seq)
    if (body._rev !== undefined && body._rev !== rev) throw new Error(`another revision, ${body._rev}, is in its place`)
    const { _id, _rev, _deleted, _attachments, _revisions, ...members } = body
    return { rev, revisions, deleted, members, attachments: await readAttachments(this.#level, _attachments, content) }
  }

  /** @param {number} seq */
  async #body (seq) {
    const text = await this.#level.get(sequenceKey(seq), UTF8)
    if (text === undefined) throw new Error('its body is missing')
    return JSON.parse(text)
  }

  async listsLocals () { return true }

  async * locals () {
    const iterator = this.#level.iterator({ ...everything(LOCALS), ...UTF8, highWaterMarkBytes: READ_AHEAD })
    try {
      for (let rows = await iterator.nextv(ROWS); rows.length > 0; rows = await iterator.nextv(ROWS)) {
        yield rows.map(([key, text]) => toLocal(key.slice(LOCALS.length), text)).filter(({ id }) => id !== SECURITY)
      }
    } finally {
      await iterator.close()
    }
  }

  async security () {
    const text = await this.#level.get(LOCALS + SECURITY, UTF8)
    const body = text === undefined ? null : toLocal(SECURITY, text).body
    return body?.security ?? body ?? undefined
  }

  /** PouchDB keeps it in the application's options. */
  async revsLimit () { return undefined }

  /** @param {Record<string, string[]>} revs */
  async missing (revs) {
    const ids = Object.keys(revs)
    const texts = await this.#level.getMany(ids.map(id => DOCUMENTS + id), UTF8)
    return Object.fromEntries(ids.map((id, i) => {
      const known = texts[i] === undefined ? [] : leavesOf(JSON.parse(texts[i]).rev_tree).flatMap(pathOf)
      return [id, revs[id].filter(rev => !known.includes(rev))]
    }))
  }

  async close () { await this.#level.close() }
}

/** @param {string} text @param {Failure[]} failures @param {string} id @returns {any} */
function parseOr (text, failures, id) {
  try {
    return JSON.parse(text)
  } catch (error) {
    failures.push({ id, reason: `it is not JSON: ${error.message}` })
    return null
  }
}

/**
 * Older versions did not keep a document's sequence with its tree.
 * @param {string} id
 * @param {any} metadata
 * @param {Failure[]} failures
 * @returns {DocumentRecord | null}
 */
function toRecord (id, { seq, rev_tree: tree, rev_map: sequences }, failures) {
  try {
    const leaves = leavesOf(tree)
    return { id, seq: seq ?? Math.max(...Object.values(sequences)), revs: leaves.map(({ rev }) => rev), leaves, sequences }
  } catch (error) {
    failures.push({ id, reason: `its revision tree is damaged: ${error.message}` })
    return null
  }
}

/**
 * The body is null where it is not JSON.
 * @param {string} id
 * @param {string} text
 */
function toLocal (id, text) {
  try {
    const { _id, _rev, _revisions, ...body } = JSON.parse(text)
    return { id, body }
  } catch {
    return { id, body: null }
  }
}

/** @param {Leaf} leaf */
function pathOf ({ revisions: { start, ids } }) {
  return ids.map((hash, i) => `${start - i}-${hash}`)
}

module.exports = { PouchLevelSource }
