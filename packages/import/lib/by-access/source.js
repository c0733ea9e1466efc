'use strict'

const { parseExact, setMember, stringifyExact } = require('@potoroo/document-store')
const { isWanted } = require('../import/local-documents')

const DESIGN = '_design/'

/**
 * A database as a part of another one, whose documents say who may read and write them: each gets `_access`. Local documents
 * stay behind, because in such a database each user has their own, and design documents unless they are asked for: there
 * they would be everybody's.
 *
 * @implements {Source}
 * @typedef {import('../import/source').Source} Source
 * @typedef {import('../import/source').Change} Change
 * @typedef {import('../import/source').Chunk} Chunk
 */
class PartSource {
  #source
  #access
  #prefix
  #designs
  /** Documents that were left behind. */
  left = { designs: 0, locals: 0 }
  /** A comparison's: `{rev} {id}` of all that was read. @type {Set<string> | null} */
  known

  /**
   * @param {Source} source
   * @param {object} options
   * @param {any} options.access the value of `_access`; undefined leaves documents to administrators
   * @param {string} [options.prefix] put before each id
   * @param {boolean} [options.designs] whether design documents come over, without `_access`
   * @param {Set<string> | null} [options.known]
   */
  constructor (source, { access, prefix = '', designs = false, known = null }) {
    this.#source = source
    this.#access = access
    this.#prefix = prefix
    this.#designs = designs
    this.known = known
    this.name = source.name
    this.label = source.label
    // An import of the whole database has a checkpoint of its own.
    this.identity = `${source.identity} ${JSON.stringify(['part', prefix, designs])}`
    this.numbered = false
    this.partitioned = false
  }

  /** Returns the `_access` that a document gets. @param {string} id */
  accessTo (id) { return id.startsWith(DESIGN) ? undefined : this.#access }

  async updateSeq () { return this.#source.updateSeq() }

  /** @param {any} since */
  async * changes (since) {
    for await (const chunk of this.#source.changes(since)) yield { ...chunk, ...this.#named(chunk) }
  }

  /** @param {string[]} ids */
  async leaves (ids) {
    return this.#named(await this.#source.leaves(ids.map(id => id.startsWith(DESIGN) ? id : id.slice(this.#prefix.length))))
  }

  /** @param {Pick<Chunk, 'changes' | 'failures'>} found */
  #named ({ changes, failures }) {
    const wanted = changes.filter(({ id }) => this.#designs || !id.startsWith(DESIGN))
    this.left.designs += changes.length - wanted.length
    return {
      changes: wanted.map(change => ({ ...change, id: this.#idOf(change.id), original: change })),
      failures: failures.map(failure => ({ ...failure, id: this.#idOf(failure.id) }))
    }
  }

  /** @param {string} id */
  #idOf (id) { return id.startsWith(DESIGN) ? id : this.#prefix + id }

  /** @param {Change[]} changes @param {{ content?: boolean }} [options] */
  async read (changes, options) {
    const { documents, failures } = await this.#source.read(changes.map(({ original, revs }) => ({ ...original, revs })), options)
    for (const { id, revisions } of documents) for (const { rev } of revisions) this.known?.add(`${rev} ${this.#idOf(id)}`)
    return {
      documents: documents.map(({ id, seq, revisions }) => ({ id: this.#idOf(id), seq: undefined, revisions: revisions.map(each => this.#withAccess(id, each)) })),
      failures: failures.map(failure => ({ ...failure, id: this.#idOf(failure.id) }))
    }
  }

  /** @param {string} id @param {import('../import/source').Revision} revision */
  #withAccess (id, revision) {
    const access = this.accessTo(id)
    if (access === undefined) return revision
    // A copy would carry the text of what has no such member.
    const members = parseExact(stringifyExact(revision.members))
    setMember(members, '_access', access)
    return { ...revision, members }
  }

  /** None come over. */
  async * locals () {
    for await (const page of this.#source.locals()) this.left.locals += page.filter(({ id, body }) => body !== null && isWanted(id, body, false)).length
  }

  async listsLocals () { return true }

  async security () { return this.#source.security() }

  async revsLimit () { return undefined }

  /** Returns nothing: `onlyThere` finds what is only in the target, for all parts together. */
  async missing () { return {} }

  close () { return this.#source.close() }
}

module.exports = { PartSource }
