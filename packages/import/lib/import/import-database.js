'use strict'

const { Checkpoint } = require('./checkpoint')
const { DocumentWriter } = require('./document-writer')
const { copyLocals } = require('./local-documents')
const { orderedMap } = require('./ordered-map')
const { isPublic, securityAfterImport } = require('./security')
const { Summary } = require('./summary')

/** Chunks of documents that are read at the same time. */
const AT_ONCE = 4

/**
 * One import of one database.
 *
 * @typedef {import('./source').Source} Source
 * @typedef {import('./source').Change} Change
 * @typedef {import('./source').Failure} Failure
 * @typedef {import('./store-target').Target} Target
 *
 * @typedef {object} Batch what is written at once
 * @property {import('./source').SourceDocument[]} documents
 * @property {Failure[]} failures
 * @property {number} present revisions that the target has
 * @property {any} [since]
 * @property {number} [done]
 * @property {number} [left]
 */
class Import {
  #source
  #target
  #options
  #summary = new Summary()
  #writer
  #progress = { done: 0, left: 0 }
  /** @type {Checkpoint} */
  #checkpoint = /** @type {any} */ (null)

  /** @param {Source} source @param {Target} target @param {import('../..').ImportOptions} options */
  constructor (source, target, options) {
    this.#source = source
    this.#target = target
    this.#options = options
    this.#writer = new DocumentWriter(target, {
      summary: this.#summary,
      signal: options.signal,
      onNotice: options.onNotice,
      onFailure: failure => this.#skip(failure)
    })
  }

  async run () {
    await this.#begin()
    await this.#retrySkipped()
    await this.#copyDocuments()
    await this.#copyLocals()
    await this.#end()
    return this.#summary
  }

  async #begin () {
    const { updateSeq } = this.#target
    this.#checkpoint = await Checkpoint.open(this.#target, this.#source)
    if (this.#checkpoint.isNew) this.#checkpoint.sequencesKept = this.#source.numbered && this.#target.keepsSequences && updateSeq === 0
    if (this.#checkpoint.complete) return
    if (this.#options.security !== false) await this.#bringSecurity()
    const limit = await this.#source.revsLimit()
    if (limit !== undefined) await this.#target.setRevsLimit(limit)
  }

  async #bringSecurity () {
    const there = await this.#source.security()
    const security = securityAfterImport(there, this.#options.open === true)
    await this.#target.setSecurity(security)
    this.#summary.isPublic = isPublic(security)
    if (isPublic(there) && !isPublic(security)) this.#options.onNotice?.('everybody may read and write it there; here only administrators may, until its _security lets others in')
  }

  /** Tries again what an earlier run could not bring over: it may have been mended meanwhile. */
  async #retrySkipped () {
    const ids = [...new Set(this.#checkpoint.skipped.map(({ id }) => id))].filter(id => !id.startsWith('_local/'))
    this.#checkpoint.skipped = []
    if (ids.length > 0) await this.#write(await this.#read(await this.#source.leaves(ids)))
  }

  async #copyDocuments () {
    const chunks = this.#source.changes(this.#checkpoint.since)
    for await (const batch of orderedMap(chunks, AT_ONCE, chunk => this.#read(chunk))) {
      this.#options.signal?.throwIfAborted()
      await this.#write(batch)
    }
  }

  /**
   * Reads the revisions of a chunk that the target has not.
   * @param {{ changes: Change[], failures: Failure[], since?: any, done?: number, left?: number }} chunk
   * @returns {Promise<Batch>}
   */
  async #read (chunk) {
    const { changes } = chunk
    const missing = await this.#target.missing(Object.fromEntries(changes.map(({ id, revs }) => [id, revs])))
    const wanted = changes.filter(({ id }) => missing[id].length > 0).map(change => ({ ...change, revs: missing[change.id] }))
    const present = changes.reduce((sum, { id, revs }) => sum + revs.length - missing[id].length, 0)
    const { documents, failures } = wanted.length === 0 ? { documents: [], failures: [] } : await this.#source.read(wanted)
    return { ...chunk, documents, present, failures: [...chunk.failures, ...failures] }
  }

  /** @param {Batch} batch */
  async #write ({ documents, failures, present, since, done = 0, left }) {
    const longest = documents.reduce((most, { revisions }) => Math.max(most, ...revisions.map(each => each.revisions.ids.length)), 0)
    await this.#target.admitHistory(longest)
    for (const failure of failures) this.#skip(failure)
    if (since !== undefined) this.#checkpoint.since = since
    await this.#writer.write(documents, this.#checkpoint)
    this.#summary.present += present
    this.#advance(done, left)
  }

  /** @param {Failure} failure */
  #skip (failure) {
    this.#checkpoint.skip(failure)
    this.#summary.skipped.push(failure)
    this.#options.onSkip?.(failure)
  }

  /** @param {number} done @param {number} [left] */
  #advance (done, left = this.#progress.left) {
    this.#progress.done += done
    this.#progress.left = left
    this.#options.onProgress?.({ ...this.#summary, ...this.#progress })
  }

  async #copyLocals () {
    const { updateSeq } = this.#target
    this.#summary.sequencesKept = this.#checkpoint.sequencesKept && updateSeq >= await this.#source.updateSeq()
    if (!await this.#source.listsLocals()) this.#options.onNotice?.('the source does not list its local documents; none come over')
    await copyLocals(this.#source, this.#target, this.#summary, failure => this.#skip(failure))
  }

  async #end () {
    this.#checkpoint.complete = true
    await this.#target.write([], this.#checkpoint)
    this.#advance(0, 0)
  }
}

/**
 * Brings a database over: every leaf revision with its history, attachments, local documents,
 * security object and revision limit. It leaves alone what is there already.
 *
 * @param {Source} source
 * @param {Target} target
 * @param {import('../..').ImportOptions} [options]
 * @returns {Promise<Summary>}
 */
function importDatabase (source, target, options = {}) {
  return new Import(source, target, options).run()
}

module.exports = { importDatabase }
