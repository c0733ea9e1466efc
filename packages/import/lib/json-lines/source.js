'use strict'

const { checkWhole, readHeader } = require('./check')
const { parseContent, parseDocument } = require('./line')
const { linesOf } = require('./lines')

/** Bytes of lines, and documents, that are given at once, as far as a document is no bigger. */
const TOGETHER = 1024 * 1024
const MOST = 500

const LOCALS = 100

const CONTENT = Buffer.from('{"attachment":')

/**
 * A database in a file of `potoroo export`: see write.js. Its sequences are opaque to clients, so its
 * checkpoints come along.
 *
 * @implements {Source}
 * @typedef {import('../import/source').Source} Source
 * @typedef {import('../import/source').Change} Change
 * @typedef {import('../import/source').Revision} Revision
 * @typedef {{ change: Change, at: number, bytes: number }} Member a document: where its first leaf begins, and the bytes of its leaves' lines
 * @typedef {{ doc: Record<string, any>, at: number, bytes: number, content: Map<string, number> }} Leaf
 */
class ExportSource {
  #file
  #header
  #end
  /** @type {Set<string> | null} */
  #known = null
  numbered = false

  /**
   * Use `open`.
   *
   * @param {string} file
   * @param {Record<string, any>} header its first line
   * @param {{ end: number, sha256: string }} last of its last line: where it begins, and what it says
   */
  constructor (file, header, { end, sha256 }) {
    this.name = header.name
    this.label = file
    this.identity = `export:${sha256}`
    this.partitioned = header.partitioned === true
    this.q = Number.isSafeInteger(header.q) && header.q > 1 ? header.q : undefined
    this.#file = file
    this.#header = header
    this.#end = end
  }

  /**
   * Reads all of the file once: nothing is brought over of one that is not whole.
   *
   * @param {string} file
   * @throws SOURCE_FORMAT, EXPORT_DAMAGED
   */
  static async open (file) {
    return new ExportSource(file, await readHeader(file), await checkWhole(file))
  }

  async updateSeq () { return this.#header.update_seq }

  /**
   * `since` is the byte where the next document begins.
   *
   * @param {any} since
   */
  async * changes (since) {
    /** @type {{ changes: Change[], bytes: number, from: number }} */
    let chunk = { changes: [], bytes: 0, from: since }
    for await (const { change, at, bytes } of this.#documents(since)) {
      if (chunk.changes.length === MOST || chunk.bytes >= TOGETHER) {
        yield this.#chunk(chunk, at)
        chunk = { changes: [], bytes: 0, from: at }
      }
      chunk.changes.push(change)
      chunk.bytes += bytes
    }
    if (chunk.changes.length > 0) yield this.#chunk(chunk, this.#end)
  }

  /** @param {{ changes: Change[], from: number }} read @param {number} since */
  #chunk ({ changes, from }, since) {
    return { changes, failures: [], since, done: since - from, left: this.#end - since }
  }

  /**
   * Leaves with the same id stand together.
   *
   * @param {number} since
   */
  async * #documents (since) {
    /** @type {Member | null} */
    let one = null
    for await (const { doc, at, bytes, content } of this.#leaves(since)) {
      if (one !== null && one.change.id !== doc._id) {
        yield one
        one = null
      }
      one ??= { change: { id: doc._id, seq: doc._local_seq, revs: [], leaves: [] }, at, bytes: 0 }
      one.change.revs.push(doc._rev)
      one.change.leaves.push(this.#toRevision(doc, content))
      one.bytes += bytes
    }
    if (one !== null) yield one
  }

  /**
   * With where the content that follows begins, by name.
   *
   * @param {number} since
   */
  async * #leaves (since) {
    /** @type {Leaf | null} */
    let leaf = null
    for await (const { line, at } of linesOf(this.#file, since)) {
      if (at >= this.#end) break
      if (isContent(line)) {
        const { attachment, at: first } = parseContent(this.#file, line, at)
        if (first === 0) leaf?.content.set(attachment, at)
        continue
      }
      if (leaf !== null) yield leaf
      leaf = null
      // That was read already.
      if (at === 0) continue
      const doc = parseDocument(this.#file, line, at)
      if (isLocal(doc)) return
      leaf = { doc, at, bytes: line.length, content: new Map() }
    }
    if (leaf !== null) yield leaf
  }

  /** @param {Record<string, any>} doc @param {Map<string, number>} content @returns {Revision} */
  #toRevision (doc, content) {
    const { _id, _rev: rev, _revisions: revisions, _deleted: deleted = false, _local_seq: seq, _attachments = {}, ...members } = doc
    const attachments = Object.entries(_attachments).map(([name, { content_type: contentType, digest, length, revpos, encoding = null, data }]) => {
      const info = { name, contentType, digest, length, revpos, encoded: encoding }
      if (data === undefined) return { ...info, data: null, open: () => this.#contentOf(name, content.get(name)) }
      const bytes = Buffer.from(data, 'base64')
      return { ...info, data: bytes, open: () => once(bytes) }
    })
    return { rev, revisions, deleted, members, attachments }
  }

  /** @param {string} name @param {number} [start] */
  async * #contentOf (name, start = this.#end) {
    for await (const { line, at } of linesOf(this.#file, start)) {
      if (!isContent(line)) return
      const { attachment, data } = parseContent(this.#file, line, at)
      if (attachment !== name) return
      yield Buffer.from(data, 'base64')
    }
  }

  /** @param {string[]} ids */
  async leaves (ids) {
    const wanted = new Set(ids)
    /** @type {Change[]} */
    const changes = []
    for await (const { change } of this.#documents(0)) if (wanted.has(change.id)) changes.push(change)
    return { changes, failures: [] }
  }

  /** @param {Change[]} changes */
  async read (changes) {
    const documents = changes.map(({ id, seq, revs, leaves }) => ({ id, seq, revisions: leaves.filter((/** @type {Revision} */ { rev }) => revs.includes(rev)) }))
    return { documents, failures: [] }
  }

  async listsLocals () { return true }

  async * locals () {
    let page = []
    for await (const { line, at } of linesOf(this.#file)) {
      if (at >= this.#end) break
      if (isContent(line) || !line.subarray(0, 15).equals(LOCAL_LINE)) continue
      const { _id: id, _rev, ...body } = parseDocument(this.#file, line, at)
      page.push({ id, body })
      if (page.length < LOCALS) continue
      yield page
      page = []
    }
    if (page.length > 0) yield page
  }

  async security () { return this.#header.security }

  async revsLimit () { return this.#header.revs_limit }

  /** @param {Record<string, string[]>} revs */
  async missing (revs) {
    this.#known ??= await this.#revisions()
    return Object.fromEntries(Object.entries(revs).map(([id, each]) => [id, each.filter(rev => !this.#known?.has(`${rev} ${id}`))]))
  }

  /** All of them are held in memory: only a comparison asks. */
  async #revisions () {
    /** @type {Set<string>} */
    const known = new Set()
    for await (const { doc } of this.#leaves(0)) known.add(`${doc._rev} ${doc._id}`)
    return known
  }

  async close () {}
}

const LOCAL_LINE = Buffer.from('{"_id":"_local/')

/** @param {Buffer} line */
function isContent (line) { return line.subarray(0, CONTENT.length).equals(CONTENT) }

/** @param {Record<string, any>} doc */
function isLocal ({ _id: id }) { return id.startsWith('_local/') }

/** @param {Buffer} bytes */
async function * once (bytes) { yield bytes }

module.exports = { ExportSource }
