'use strict'

const { isDeepStrictEqual } = require('node:util')
const { compareUtf8, validateId } = require('@potoroo/document-store')
const { createError } = require('@potoroo/errors')
const { checkOptions } = require('@potoroo/errors/known-options')
const { Classes } = require('./classes')
const { Document } = require('./document')
const { copyIn, jsonOf } = require('./nodes/copy-in')
const { documentOf } = require('./nodes/document-node')
const { nodeOf, stateOf } = require('./nodes/nodes')
const { Transactions } = require('./transaction/transactions')
const { Watchers } = require('./watchers')

/** Documents that are read in one go by who walks through them. */
const PAGE = 256

/** @typedef {import('@potoroo/document-store').Document} Stored */

/**
 * Behind the prototype, so that code that is not strict hears of it, too. Methods may be replaced, and members be defined.
 */
const assignsNothing = new Proxy({}, {
  set (_, name) { throw new TypeError(`documents.${String(name)} = … changes no document: use documents.set(id, value), or assign to a member of documents.get(id)`) }
})

/** The documents of a database as a Map: see index.d.ts. */
class Documents {
  static { Object.setPrototypeOf(this.prototype, assignsNothing) }

  classes = new Classes()
  store
  databases
  reference
  #transactions
  #watchers
  /** Commits and purges that were heard of: what was read before one may be old. */
  #heard = 0
  /** @type {Map<string, WeakRef<Document>>} */
  #loaded = new Map()
  /** @type {FinalizationRegistry<string>} */
  #gone = new FinalizationRegistry(id => { if (this.#loaded.get(id)?.deref() === undefined) this.#loaded.delete(id) })

  /**
   * @param {import('@potoroo/document-store').DocumentStore} store
   * @param {import('@potoroo/document-store').Databases} databases
   * @param {{ reference?: string }} [options]
   */
  constructor (store, databases, { reference = '$ref' } = {}) {
    if (!store.readsAtOnce) throw createError('NOT_IMPLEMENTED', { reason: 'Only documents of a pool in this process can be objects: they are read without waiting' })
    if (typeof reference !== 'string' || reference === '') throw new TypeError('`reference` must be the name of a member')
    this.store = store
    this.databases = databases
    this.reference = reference
    this.#transactions = new Transactions(store)
    this.#watchers = new Watchers()
    store.on('written', changes => this.#hear(changes))
    store.on('purge', () => this.#hearPurge())
  }

  get name () { return this.store.name }

  /** The transactions whose function runs. */
  get running () { return this.#transactions.running }

  requireRunning () {
    if (this.running !== null) return this.running
    throw new TypeError('Documents are changed in a transaction of their own database: await documents.transaction(() => { … })')
  }

  /** @param {import('..').Written[]} changes */
  #hear (changes) {
    this.#heard++
    for (const { id, rev } of changes) this.#loaded.get(id)?.deref()?.tell(rev)
    this.#watchers.tell(changes)
  }

  #hearPurge () {
    this.#heard++
    for (const loaded of this.#loaded.values()) loaded.deref()?.tell()
  }

  /** @param {string} id @param {Stored} [found] what is stored, where that was read just now */
  #document (id, found) {
    const known = this.#loaded.get(id)?.deref()
    if (known !== undefined) return known
    const document = new Document(this, id)
    if (found !== undefined) document.load(found)
    this.#loaded.set(id, new WeakRef(document))
    this.#gone.register(document, id)
    return document
  }

  /** @param {string} id @param {Stored} [found] */
  #shown (id, found) {
    if (this.store.closed) throw createError('CLOSED')
    const document = this.#document(id, found)
    return document.isPresent ? document.node.proxy : undefined
  }

  /** The document that a reference is to; undefined where the value is none, or there is no such document. @param {any} value */
  referred (value) {
    const state = this.running === null ? value : stateOf(value)
    const id = state[this.reference]
    return typeof id === 'string' && Object.keys(state).length === 1 ? this.get(id) : undefined
  }

  get size () {
    let size = this.store.docCount
    for (const { isThere, draftThere = isThere } of this.running?.changed ?? []) size += Number(draftThere) - Number(isThere)
    return size
  }

  /** @param {string} id */
  get (id) { return typeof id === 'string' ? this.#shown(id) : undefined }

  /** @param {string} id */
  has (id) { return this.get(id) !== undefined }

  /** @param {string} id @param {object} value */
  set (id, value) {
    this.requireRunning()
    validateId(id)
    if (id.startsWith('_local/')) throw new TypeError('Local documents do not replicate, and are no objects: use `store`')
    const document = this.#document(id)
    document.replace(this.#membersOf(document, value))
    return this
  }

  /** @param {Document} document @param {any} given */
  #membersOf ({ id, node: target }, given) {
    const value = jsonOf(given, '')
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new TypeError(`${id}: a document is an object`)
    const node = nodeOf(value)
    const { _id = id, _rev, _attachments, _access = target.document.access, ...members } = node === undefined ? value : node.plain()
    if (_id !== id) throw new TypeError(`${id}: its _id is ${String(_id)}`)
    const strange = isDeepStrictEqual(_access, target.document.access) ? Object.keys(members).find(name => name.startsWith('_')) : '_access'
    if (strange !== undefined) throw new TypeError(`${id}.${strange}: what begins with an underscore is the database's`)
    return { ...copyIn(members, this, id, target), ...(node === undefined ? this.classes.membersFor(given, id) : undefined) }
  }

  /** @param {string} id */
  delete (id) {
    this.requireRunning()
    return typeof id === 'string' && this.#document(id).remove()
  }

  clear () {
    this.requireRunning()
    for (const id of [...this.keys()]) this.delete(id)
  }

  /** In the order of ids. @returns {Generator<[string, any], void>} */
  * entries () {
    const made = [...this.running?.changed ?? []].filter(({ isThere, draftThere }) => draftThere === true && !isThere).map(({ id }) => id).sort(compareUtf8)
    for (const { id, found } of this.#stored()) {
      while (made.length > 0 && compareUtf8(made[0], id) < 0) yield * this.#entry(/** @type {string} */ (made.shift()))
      yield * this.#entry(id, found)
    }
    for (const id of made) yield * this.#entry(id)
  }

  /** @param {string} id @param {Stored} [found] @returns {Array<[string, any]>} one, or none where it has gone meanwhile */
  #entry (id, found) {
    const document = this.#shown(id, found)
    return document === undefined ? [] : [[id, document]]
  }

  /** Ids, and what is stored of them, as long as that is still so. @returns {Generator<{ id: string, found: Stored | undefined }, void>} */
  * #stored () {
    /** @type {string | undefined} */
    let after
    for (;;) {
      const page = this.store.pageSync({ after, limit: PAGE })
      const heard = this.#heard
      for (const found of page) yield { id: found.id, found: heard === this.#heard ? found : undefined }
      if (page.length < PAGE) return
      after = page[PAGE - 1].id
    }
  }

  * keys () { for (const [id] of this.entries()) yield id }
  * values () { for (const [, document] of this.entries()) yield document }

  /** @param {(document: any, id: string, documents: this) => void} visit @param {unknown} [self] */
  forEach (visit, self) { for (const [id, document] of this.entries()) visit.call(self, document, id, this) }

  [Symbol.iterator] () { return this.entries() }

  get [Symbol.toStringTag] () { return 'Documents' }

  /**
   * @template T
   * @param {() => T} work
   * @returns {Promise<T>}
   */
  transaction (work) { return this.#transactions.run(work) }

  /** @param {new (...args: any[]) => object} constructor @param {{ where: Record<string, string | number | boolean | null> }} [options] */
  register (constructor, options) {
    checkOptions(options, ['where'], 'documents.register()')
    this.classes.register(constructor, options?.where)
  }

  /**
   * @param {any} target
   * @param {(changes: import('..').Written[]) => void} listener
   * @param {{ signal?: AbortSignal }} [options]
   */
  watch (target, listener, options) {
    checkOptions(options, ['signal'], 'documents.watch()')
    const document = target === this ? undefined : documentOf(target)
    if (target !== this && document?.documents !== this) throw new TypeError('What is watched is a document of this database, or all of them')
    return this.#watchers.add(document, listener, options)
  }

  /**
   * @template T
   * @param {T} value
   * @returns {T}
   */
  plain (value) { return nodeOf(value)?.plain() ?? value }

  async close () {
    await this.#transactions.settled()
    await this.store.close()
  }
}

module.exports = { Documents }
