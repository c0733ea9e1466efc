'use strict'

const { EventEmitter } = require('node:events')
const { createError } = require('@potoroo/errors')
const { DocumentStore } = require('./document-store')
const { Keyspace, del, put } = require('../media/keyspace')
const { Layout, after } = require('../media/layout')
const { fromLevel } = require('../media/level-errors')
const { creation, newDatabase } = require('../media/meta')
const { Totals } = require('../commit/totals')
const { compareUtf8 } = require('../json/utf8-order')
const { isStorable } = require('../commit/storable')

/**
 * The databases in one level. The layout of keys, after the catalogue's prefix:
 *
 *   b number '/' …   a database: see layout.js
 *   n name           catalogue: number
 *   q                the next number
 *   x number         a database that was dropped and is not yet cleared
 *
 * The catalogue's entry is written with the database's own first records and dropped before its
 * last ones, so a crash leaves either a whole database or remains that the next open clears.
 */
class Databases extends EventEmitter {
  #level
  #prefix
  #keyspace
  #storeOptions
  #numbers = new Map()
  #next = 1
  #open = new Map()
  #turn = Promise.resolve()
  #closed = false

  /** Use `open`. */
  constructor (level, { prefix = '', ...storeOptions }) {
    super()
    this.setMaxListeners(0)
    this.#level = level
    this.#prefix = prefix
    this.#storeOptions = storeOptions
    this.#keyspace = new Keyspace(level, storeOptions)
  }

  static async open (level, options = {}) {
    const databases = new Databases(level, options)
    try {
      if (level.status === 'opening') await level.open()
      await databases.#load()
    } catch (error) {
      throw fromLevel(error)
    }
    return databases
  }

  async #load () {
    const names = this.#prefix + 'n'
    for (const [key, number] of await this.#keyspace.entries({ gte: names, lt: after(names) }).all()) {
      this.#numbers.set(key.slice(names.length), number)
    }
    this.#next = Number(await this.#keyspace.get(this.#prefix + 'q') ?? '1')
    const dropped = this.#prefix + 'x'
    for (const key of await this.#keyspace.keys({ gte: dropped, lt: after(dropped) }).all()) {
      await this.#clear(key.slice(dropped.length))
    }
  }

  has (name) { return this.#numbers.has(name) }
  list () { return [...this.#numbers.keys()].sort(compareUtf8) }

  /**
   * Creations and deletions take turns.
   *
   * @template T
   * @param {() => Promise<T>} action
   * @returns {Promise<T>}
   */
  #inTurn (action) {
    const result = this.#turn.then(action)
    this.#turn = result.then(() => {}, () => {})
    return result
  }

  async create (name, { meta, partitioned } = /** @type {{ meta?: Record<string, any>, partitioned?: boolean }} */ ({})) {
    this.#assertOpen()
    if (name === '' || !isStorable(name)) throw createError('ILLEGAL_DATABASE_NAME')
    const store = await this.#inTurn(() => this.#create(name, meta ?? {}, partitioned === true))
    this.emit('created', name, store)
    return store
  }

  async #create (name, meta, partitioned) {
    if (this.has(name)) throw createError('DATABASE_EXISTS')
    const number = String(this.#next)
    const layout = new Layout(this.#prefixOf(number))
    await this.#keyspace.write([
      put(this.#prefix + 'n' + name, number),
      put(this.#prefix + 'q', String(this.#next + 1)),
      ...creation(layout, newDatabase({ revsLimit: this.#storeOptions.revsLimit ?? 1000, partitioned }), meta)
    ])
    this.#next++
    this.#numbers.set(name, number)
    return this.#opened(name, number)
  }

  #prefixOf (number) {
    return `${this.#prefix}b${number}/`
  }

  async get (name) {
    this.#assertOpen()
    const number = this.#numbers.get(name)
    if (number === undefined) throw createError('NO_DATABASE')
    const store = await this.#opened(name, number)
    if (!store.closed) return store
    await store.close() // somebody is closing it: what comes after is a new one
    return this.get(name)
  }

  /** Returns what is stored of each database, without opening any. */
  async summaries () {
    this.#assertOpen()
    const entries = [...this.#numbers]
    const layouts = entries.map(([, number]) => new Layout(this.#prefixOf(number)))
    const texts = await this.#keyspace.getMany(layouts.flatMap((layout) => [layout.meta('database'), layout.state]))
    return entries.map(([name], i) => summaryOf(name, texts[2 * i], texts[2 * i + 1])).filter((summary) => summary !== null)
  }

  /** Returns the databases that somebody has open. */
  async opened () {
    const stores = await Promise.all([...this.#open.values()].map((store) => store.catch(() => null)))
    return stores.filter((store) => store !== null)
  }

  #opened (name, number) {
    let store = this.#open.get(name)
    if (store === undefined) {
      store = this.#openStore(name, number)
      this.#open.set(name, store)
    }
    return store
  }

  async #openStore (name, number) {
    const options = { ...this.#storeOptions, revsLimit: undefined, name, prefix: this.#prefixOf(number) }
    const forget = () => this.#open.delete(name)
    try {
      const store = await DocumentStore.open(this.#level, options, () => this.destroy(name))
      store.once('close', forget)
      store.on('commit', () => this.emit('updated', name, store))
      this.emit('opened', store)
      return store
    } catch (error) {
      forget()
      throw error
    }
  }

  async destroy (name) {
    this.#assertOpen()
    const store = await this.#inTurn(() => this.#drop(name))
    this.emit('deleted', name)
    store?.emit('destroy')
  }

  /** @returns {Promise<DocumentStore | undefined>} the store, if it was open */
  async #drop (name) {
    const number = this.#numbers.get(name)
    if (number === undefined) throw createError('NO_DATABASE')
    this.#numbers.delete(name) // nobody opens it from here on
    try {
      const store = await this.#open.get(name)
      await store?.close()
      await this.#keyspace.write([del(this.#prefix + 'n' + name), put(this.#prefix + 'x' + number, '')], { kept: 'all' })
      await this.#clear(number)
      return store
    } catch (error) {
      if (await this.#keyspace.get(this.#prefix + 'n' + name) !== undefined) this.#numbers.set(name, number)
      throw error
    }
  }

  async #clear (number) {
    const prefix = this.#prefixOf(number)
    await this.#keyspace.clear({ gte: prefix, lt: after(prefix) })
    await this.#keyspace.write([del(this.#prefix + 'x' + number)])
  }

  #assertOpen () {
    if (this.#closed) throw createError('CLOSED')
  }

  async close () {
    if (this.#closed) return
    this.#closed = true
    await this.#turn
    const stores = await this.opened()
    // One that fails keeps none of the others open.
    const results = await Promise.allSettled(stores.map((store) => store.close()))
    const failed = results.find(({ status }) => status === 'rejected')
    if (failed !== undefined) throw /** @type {PromiseRejectedResult} */ (failed).reason
  }
}

/** null of one that is damaged: who opens it is told. */
function summaryOf (name, database, state) {
  try {
    const { instanceId } = JSON.parse(database)
    return Totals.isText(state) ? { name, instanceId, updateSeq: new Totals(state).seq } : null
  } catch {
    return null
  }
}

module.exports = { Databases }
