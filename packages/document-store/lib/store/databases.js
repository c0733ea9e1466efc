'use strict'

const { EventEmitter } = require('node:events')
const { createError } = require('@potoroo/errors')
const { DatabaseCatalogue } = require('./database-catalogue')
const { DistantReader } = require('./distant-reader')
const { DocumentStore } = require('./document-store')
const { fromLevel } = require('../media/level-errors')
const { newShardedDatabase } = require('./shard-catalogue')
const { publicName } = require('./shard-names')
const { isStorable } = require('../commit/storable')

/**
 * @import { Level } from '../media/keyspace'
 * @import { Sharing, StoreOptions } from '../..'
 */

/** Readers of databases that are kept at hand: those that were used last. */
const MOST_READERS = 1000

/** The databases in one level: a catalogue of their names, and those that somebody has open. */
class Databases extends EventEmitter {
  #level
  #catalogue
  #storeOptions
  /** Says which server owns a database; undefined: this one owns all. @type {Sharing | undefined} */
  #sharing
  /** By name. @type {Map<string, { number: string, store: Promise<DocumentStore> }>} */
  #open = new Map()
  /** Readers of databases that other servers may write. @type {Map<string, { number: string, reader: DistantReader }>} */
  #readers = new Map()
  #turn = Promise.resolve()
  /** The turn of the deletion that goes on, without those that wait behind it. */
  #deletion = Promise.resolve()
  #closed = false

  /**
   * Use `open`.
   *
   * @param {Level} level
   * @param {StoreOptions & { sharing?: Sharing }} options
   */
  constructor (level, options) {
    super()
    this.setMaxListeners(0)
    this.#level = level
    this.#catalogue = new DatabaseCatalogue(level, { ...options, onUnsure: () => this.emit('unsure', null) })
    const { prefix, sharing, revsLimit, ...storeOptions } = options
    this.#sharing = sharing
    this.#storeOptions = storeOptions
  }

  /** @param {Level} level @param {StoreOptions & { sharing?: Sharing }} [options] */
  static async open (level, options = {}) {
    const databases = new Databases(level, options)
    try {
      if (level.status === 'opening') await level.open()
      await databases.#catalogue.read()
      if (options.sharing === undefined) await databases.#catalogue.beginWriting()
    } catch (error) {
      throw fromLevel(error)
    }
    return databases
  }

  get level () { return this.#level }

  /** Reads the catalogue again, from here on for writing: another server may have written it. */
  reload () {
    return this.#inTurn(async () => {
      await this.#catalogue.read()
      await this.#catalogue.beginWriting()
    })
  }

  readShards () { return this.#catalogue.readShards() }

  /** Returns the number of a database as far as it is known, without reading. @param {string} name */
  numberOf (name) { return this.#catalogue.numberOf(name) }

  /** Reads the number of a database, which another server may have made or dropped. @param {string} name */
  lookUp (name) { return this.#catalogue.lookUp(name) }

  /**
   * Does as if there were no database of this name until it is looked up again: another server is dropping it.
   *
   * @param {string} name
   */
  forget (name) { this.#catalogue.forget(name) }

  /** Whether there is a database of this number, which another server may have dropped. @param {string} number */
  isThere (number) { return this.#catalogue.isThere(number) }

  /**
   * Returns a reader of a database whoever writes it.
   *
   * @param {string} name
   * @throws not_found (no_db_file)
   */
  async reader (name) {
    const number = this.numberOf(name) ?? await this.lookUp(name)
    if (number === undefined) throw createError('NO_DATABASE')
    const known = this.#readers.get(name)
    this.#readers.delete(name)
    const isSame = known !== undefined && known.number === number
    if (!isSame) known?.reader.release()
    if (this.#readers.size >= MOST_READERS) this.#forgetOldestReader()
    const reader = isSame ? known.reader : new DistantReader(this.#level, { name, number, nameKey: this.#catalogue.nameKey(name), prefix: this.#catalogue.prefixOf(number) })
    this.#readers.set(name, { number, reader })
    return reader
  }

  #forgetOldestReader () {
    const [[name, { reader }]] = this.#readers
    this.#readers.delete(name)
    reader.release()
  }

  /**
   * Returns a reader of a database that was just refreshed: it knows all that was done before this was called.
   *
   * @param {string} name
   * @returns {Promise<DistantReader | null>} null where there is none that can be read without its owner
   */
  async freshReader (name) {
    const number = this.numberOf(name) ?? await this.lookUp(name)
    if (number === undefined) return null
    const reader = await this.reader(name)
    if (await reader.refresh()) return reader
    // Another server may have made it again.
    return await this.lookUp(name) === number ? null : this.freshReader(name)
  }

  /**
   * Closes a database that belongs to another server from here on.
   *
   * @param {string} number
   */
  async release (number) {
    const found = [...this.#open.values()].find((opening) => opening.number === number)
    if (found !== undefined) await found.store.then((store) => store.close(), () => {})
  }

  /** @param {string} name */
  has (name) { return this.#catalogue.has(name) }
  list () { return this.#catalogue.list() }

  /** Returns the shards of a database; undefined of one that is in one piece. @param {string} name */
  sharded (name) { return this.#catalogue.sharded(name) }

  /**
   * Lets creations and deletions take turns.
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

  /** @param {string} name @param {{ meta?: Record<string, any>, partitioned?: boolean, access?: boolean }} [options] */
  async create (name, { meta = {}, partitioned = false, access = false } = {}) {
    this.#assertOpen()
    if (name === '' || !isStorable(name)) throw createError('ILLEGAL_DATABASE_NAME')
    const store = await this.#inTurn(async () => {
      const { number, instanceId } = await this.#catalogue.add(name, meta, { partitioned, access })
      return this.#sharing === undefined ? this.#opened(name, number) : { instanceId, updateSeq: 0 }
    })
    this.emit('created', name, store)
    // Whoever is asked for it first has it.
    return this.#sharing === undefined ? store : null
  }

  /**
   * Makes a database of several shards.
   *
   * @param {string} name
   * @param {number} q how many
   * @param {{ meta?: Record<string, any>, partitioned?: boolean }} [options] of each shard
   */
  async createSharded (name, q, { meta = {}, partitioned = false } = {}) {
    this.#assertOpen()
    if (name === '' || !isStorable(name)) throw createError('ILLEGAL_DATABASE_NAME')
    const database = newShardedDatabase(name, q, partitioned)
    await this.#inTurn(() => this.#catalogue.addShards(database, meta))
    this.emit('created', name, { instanceId: database.instanceId, updateSeq: 0 })
    return database
  }

  /** Waits for the end of a deletion that goes on, which may fail yet. @param {string} name */
  async settled (name) {
    if (this.#catalogue.isRemoving(name)) await this.#deletion
  }

  /**
   * One that is being deleted is not gone before that is done: nobody is told so before the one who deletes it.
   *
   * @param {string} name
   * @returns {Promise<DocumentStore>}
   * @throws not_found (no_db_file)
   */
  async get (name) {
    this.#assertOpen()
    if (this.#catalogue.isRemoving(name)) await this.#deletion
    const number = this.numberOf(name)
    if (number === undefined) throw this.sharded(name) === undefined ? createError('NO_DATABASE') : createError('NOT_IMPLEMENTED', { reason: `This cannot be done to ${name}, which is a database of several shards` })
    const store = await this.#opened(name, number)
    if (!store.closed) return store
    await store.close() // somebody is closing it: what comes after is a new one
    return this.get(name)
  }

  /** Returns what is stored of each database, without opening any. */
  async summaries () {
    this.#assertOpen()
    return this.#catalogue.summaries()
  }

  /** Returns the databases that somebody has open. */
  async opened () {
    const stores = await Promise.all([...this.#open.values()].map(({ store }) => store.catch(() => null)))
    return stores.filter((store) => store !== null)
  }

  /** @param {string} name @param {string} number */
  #opened (name, number) {
    const open = this.#open.get(name)
    if (open !== undefined) return open.store
    const opening = { number, store: this.#openStore(name, number) }
    this.#open.set(name, opening)
    const forget = () => { if (this.#open.get(name) === opening) this.#open.delete(name) }
    opening.store.then((store) => store.closed ? forget() : store.once('close', forget), forget)
    return opening.store
  }

  /** @param {string} name @param {string} number */
  async #openStore (name, number) {
    const options = { ...this.#storeOptions, name, prefix: this.#catalogue.prefixOf(number), ...this.#unsure(number) }
    const level = this.#sharing === undefined ? this.#level : this.#sharing.levelOf(number)
    const began = performance.now()
    const store = await DocumentStore.open(level, options, () => this.destroy(name))
    const shown = publicName(name)
    store.on('commit', () => this.emit('updated', shown, store))
    this.emit('opened', store, performance.now() - began)
    return store
  }

  /**
   * A write that may have been done or not leaves a store that does not know what is stored, and so does one that is
   * refused because another server has the database.
   *
   * @param {string} number
   */
  #unsure (number) {
    return this.#sharing === undefined ? undefined : { onUnsure: () => this.emit('unsure', number) }
  }

  /** @param {string} name */
  async destroy (name) {
    this.#assertOpen()
    const removed = this.#inTurn(() => {
      this.#deletion = turn
      return this.#catalogue.remove(name, pieces => this.#closePieces(pieces))
    })
    const turn = this.#turn
    const stores = await removed
    this.emit('deleted', name)
    for (const store of stores) store?.emit('destroy')
  }

  /** @param {Array<{ name: string, number: string }>} pieces of a database that is deleted */
  async #closePieces (pieces) {
    for (const piece of pieces) await this.#sharing?.seize(piece.number, piece.name)
    const stores = await Promise.all(pieces.map(piece => this.#open.get(piece.name)?.store))
    await Promise.all(stores.map(store => store?.close()))
    return stores
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
    this.emit('close')
    const failed = results.find(({ status }) => status === 'rejected')
    if (failed !== undefined) throw /** @type {PromiseRejectedResult} */ (failed).reason
  }
}

module.exports = { Databases }
