'use strict'

const { toObject } = require('@potoroo/document-store')
const { createError } = require('@potoroo/errors')
const { Integers } = require('./nodes/integers')
const { DocumentNode } = require('./nodes/document-node')
const { become } = require('./nodes/nodes')
const { isInDocument, separate } = require('./nodes/places')
const { adopt, reconcile } = require('./nodes/reconcile')

/** Told of a document of which nothing is certain. */
const UNSURE = ''

/** One document: its committed state in memory, and what the transactions under way have made of it. */
class Document {
  /** The winner's; null where there was never one. @type {string | null} */
  rev = null
  /** Whether it is there, as far as that is committed. */
  isThere = false
  /** The same as the transactions under way have it; undefined: they have not changed that. @type {boolean | undefined} */
  draftThere = undefined
  /** Stubs of its attachments. @type {Readonly<Record<string, any>> | null} */
  attachments = null
  /** Names who may see it, in a database with access by document. @type {Readonly<Record<string, any>> | null} */
  access = null
  integers = new Integers()
  /** Its conflicting revisions that the transactions under way remove. @type {string[]} */
  resolved = []
  /** The revision that a commit told of; null: that which is here. @type {string | null} */
  #told = UNSURE
  #raw = {}

  /**
   * @param {import('./documents').Documents} documents
   * @param {string} id
   */
  constructor (documents, id) {
    this.documents = documents
    this.id = id
    this.node = new DocumentNode(this, this.#raw)
  }

  /** The revision that a transaction sees; null: it is not there. */
  get seen () { return this.isThere ? this.rev : null }

  /** Whether a transaction that has seen a revision would see it again. @param {string | null} rev */
  isStill (rev) { return this.#told === null && this.seen === rev }

  /** Whether it is there for who asks. */
  get isPresent () {
    this.present(this.node)
    return this.documents.running === null ? this.isThere : this.draftThere ?? this.isThere
  }

  /**
   * Gives a part of it as committed, or as the transaction under way has it.
   *
   * @param {import('./nodes/node').Node} node
   * @returns {any}
   * @throws CLOSED where the database is
   */
  present (node) {
    const { running, store } = this.documents
    if (store.closed) throw createError('CLOSED')
    if (this.#told !== null && (running === null || !running.hasChanged(this))) this.load()
    if (running === null) return node.raw
    running.touch(this)
    return node.draft ?? node.raw
  }

  /**
   * Lets a part be changed by the transaction under way.
   *
   * @param {import('./nodes/node').Node} node
   * @throws TypeError where there is none, the document is gone, or it has this part no more
   */
  change (node) {
    const running = this.documents.requireRunning()
    if (!this.isPresent) throw new TypeError(`${this.id} was deleted: set() makes it again`)
    if (!isInDocument(node)) throw new TypeError(`${this.id}: the document has this ${Array.isArray(node.raw) ? 'array' : 'object'} no more, so that a change of it would be lost`)
    running.change(this, node)
  }

  /**
   * Replaces all of it.
   *
   * @param {any} raw
   */
  replace (raw) {
    const running = this.documents.requireRunning()
    this.#appear(true)
    running.change(this, this.node)
    this.node.draft = raw
  }

  /** @returns {boolean} whether it was there */
  remove () {
    const running = this.documents.requireRunning()
    if (!this.isPresent) return false
    this.#appear(false)
    running.change(this, this.node)
    this.node.draft = {}
    return true
  }

  /** @param {boolean} there */
  #appear (there) {
    this.present(this.node)
    const former = this.draftThere
    this.documents.requireRunning().changeState(this, () => { this.draftThere = former })
    this.draftThere = there
  }

  /** Live revisions that did not win, frozen. */
  get conflicts () {
    const gone = this.documents.running === null ? [] : this.resolved
    return this.documents.store.conflictsSync(this.id).filter(({ rev }) => !gone.includes(rev)).map(found => Object.freeze(toObject(found)))
  }

  /** Removes them, with the transaction under way. */
  resolve () {
    const running = this.documents.requireRunning()
    const former = this.resolved
    this.present(this.node)
    running.changeState(this, () => { this.resolved = former })
    this.resolved = [...former, ...this.conflicts.map(({ _rev }) => _rev)]
    return true
  }

  /**
   * Hears of a commit.
   *
   * @param {string} [rev] that wins now; nothing: it is not known
   */
  tell (rev = UNSURE) { this.#told = rev === this.rev ? null : rev }

  /**
   * Takes what is stored. Objects that users hold of it become what is now at their place.
   *
   * @param {import('@potoroo/document-store').Document | null} [found]
   */
  load (found = this.documents.store.getSync(this.id)) {
    const there = found !== null && !found.deleted
    const stored = there ? toObject(found, { exact: true }) : /** @type {Record<string, any>} */ ({})
    const { _id, _rev, _deleted, _attachments = null, _access = null, ...members } = stored
    this.integers.load(stored)
    reconcile(this.#raw, members)
    this.rev = found?.rev ?? null
    this.isThere = there
    this.attachments = _attachments && freeze(_attachments)
    this.access = _access && freeze(_access)
    this.#told = null
  }

  /**
   * Makes what a transaction has made of it the present.
   *
   * @param {string | undefined} rev
   * @param {Iterable<import('./nodes/node').Node>} nodes that were changed
   * @param {string | null} seen that it was made of: if another was loaded meanwhile, that holds
   */
  settle (rev, nodes, seen) {
    if (this.seen === seen) this.#adopt(rev, nodes)
    else if (rev !== undefined && rev !== this.rev) this.#told = UNSURE
    this.forget(nodes)
  }

  /** @param {string | undefined} rev @param {Iterable<import('./nodes/node').Node>} nodes */
  #adopt (rev, nodes) {
    this.rev = rev ?? this.rev
    this.isThere = this.draftThere ?? this.isThere
    adopt(this.#raw, [...nodes])
    if (this.isThere) return
    become(this.#raw, {})
    this.attachments = this.access = null
  }

  /** Gives each place in it an object of its own. */
  separate () { separate(this, /** @type {import('./transaction/group').Group} */ (this.documents.running)) }

  /**
   * Drops what transactions have made of it.
   *
   * @param {Iterable<import('./nodes/node').Node>} nodes
   */
  forget (nodes) {
    for (const node of nodes) {
      node.draft = undefined
      node.changedBy = null
    }
    this.draftThere = undefined
    this.resolved = []
  }

  /** The prototype that its members give it. @returns {object} */
  get prototype () { return this.documents.classes.prototypeOf(this.present(this.node)) }
}

/** @param {Record<string, any>} member of two levels */
function freeze (member) {
  for (const each of Object.values(member)) Object.freeze(each)
  return Object.freeze(member)
}

module.exports = { Document }
