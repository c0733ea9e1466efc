'use strict'

const { EventEmitter } = require('node:events')
const { createError } = require('@potoroo/errors')
const { DistantReader } = require('./distant-reader')
const { DocumentStore } = require('./document-store')
const { Keyspace, del, put } = require('../media/keyspace')
const { Layout, after } = require('../media/layout')
const { fromLevel } = require('../media/level-errors')
const { creation, newDatabase } = require('../media/meta')
const { Totals } = require('../commit/totals')
const { ShardCatalogue, newShardedDatabase, stored } = require('./shard-catalogue')
const { isShard, publicName } = require('./shard-names')
const { compareUtf8 } = require('../json/utf8-order')
const { isStorable } = require('../commit/storable')

/**
 * @import { Level } from '../media/keyspace'
 * @import { Sharing, StoreOptions } from '../..'
 */

/**
 * The databases in one level. The layout of keys, after the catalogue's prefix:
 *
 *   b number '/' …   a database: see layout.js
 *   n name           catalogue: number
 *   q                the next number
 *   s name           catalogue: a database of shards, each a database itself: see shard-names.js
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
  /** Whom of several servers a database belongs to; undefined: all are ours. @type {Sharing | undefined} */
  #sharing
  /** By name. @type {Map<string, string>} */
  #numbers = new Map()
  #sharded = new ShardCatalogue()
  #next = 1
  /** By name. @type {Map<string, { number: string, store: Promise<DocumentStore> }>} */
  #open = new Map()
  /** Readers of databases that other servers may write. @type {Map<string, { number: string, reader: DistantReader }>} */
  #readers = new Map()
  #turn = Promise.resolve()
  #closed = false

  /**
   * Use `open`.
   *
   * @param {Level} level
   * @param {StoreOptions & { sharing?: Sharing }} options
   */
  constructor (level, { prefix = '', sharing, ...storeOptions }) {
    super()
    this.setMaxListeners(0)
    this.#level = level
    this.#prefix = prefix
    this.#sharing = sharing
    this.#storeOptions = storeOptions
    this.#keyspace = new Keyspace(level, storeOptions)
  }

  /** @param {Level} level @param {StoreOptions & { sharing?: Sharing }} [options] */
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
    await this.#readNames()
    if (this.#sharing === undefined) await this.#beginWriting()
  }

  async #readNames () {
    const names = this.#prefix + 'n'
    const numbers = new Map()
    for (const [key, number] of await this.#keyspace.entries({ gte: names, lt: after(names) }).all()) {
      numbers.set(key.slice(names.length), number)
    }
    this.#numbers = numbers
    await this.readShards()
  }

  /** Reads which databases are made of shards: another server may have made or dropped some. */
  async readShards () {
    const names = this.#prefix + 's'
    const { version } = this.#sharded
    const texts = await this.#keyspace.entries({ gte: names, lt: after(names) }).all()
    // Newer ones may have come meanwhile: the next reading finds the others.
    if (version === this.#sharded.version) this.#sharded.replace(texts.map(([key, text]) => [key.slice(names.length), text]))
  }

  async #beginWriting () {
    this.#next = Number(await this.#keyspace.get(this.#prefix + 'q') ?? '1')
    const dropped = this.#prefix + 'x'
    for (const key of await this.#keyspace.keys({ gte: dropped, lt: after(dropped) }).all()) {
      await this.#clear(key.slice(dropped.length))
    }
  }

  /** Reads the catalogue again, from here on for writing: another server may have written it. */
  reload () {
    return this.#inTurn(async () => {
      await this.#readNames()
      await this.#beginWriting()
    })
  }

  /**
   * Returns the number of a database as far as it is known, without reading.
   *
   * @param {string} name
   */
  numberOf (name) { return this.#numbers.get(name) }

  /**
   * Reads the number of a database, which another server may have made or dropped.
   *
   * @param {string} name
   * @returns {Promise<string | undefined>}
   */
  async lookUp (name) {
    if (!isStorable(name)) return undefined
    const [number, shards] = await this.#keyspace.getMany([this.#prefix + 'n' + name, this.#prefix + 's' + name])
    if (number === undefined) this.#numbers.delete(name)
    else this.#numbers.set(name, number)
    if (shards === undefined) this.#sharded.remove(name)
    else this.#sharded.load(name, shards)
    return number
  }

  /**
   * Does as if there were no database of this name until it is looked up again: another server is dropping it.
   *
   * @param {string} name
   */
  forget (name) { this.#numbers.delete(name) }

  /**
   * Whether there is a database of this number, which another server may have dropped.
   *
   * @param {string} number
   */
  async isThere (number) {
    const record = new Layout(this.#prefixOf(number)).meta('database')
    const [database, dropped] = await this.#keyspace.getMany([record, this.#prefix + 'x' + number])
    return database !== undefined && dropped === undefined
  }

  /**
   * Returns a reader of a database whoever writes it.
   *
   * @param {string} name
   * @throws not_found (no_db_file)
   */
  async reader (name) {
    const number = this.#numbers.get(name) ?? await this.lookUp(name)
    if (number === undefined) throw createError('NO_DATABASE')
    const known = this.#readers.get(name)
    if (known !== undefined && known.number === number) return known.reader
    known?.reader.release()
    const reader = new DistantReader(this.#level, { name, prefix: this.#prefixOf(number) })
    this.#readers.set(name, { number, reader })
    return reader
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

  /** Returns how the catalogue is written. */
  get #writer () {
    if (this.#sharing === undefined) return this.#keyspace
    return new Keyspace(this.#sharing.catalogue(), { onUnsure: () => this.emit('unsure', null) })
  }

  /** @param {string} name */
  has (name) { return this.#numbers.has(name) || this.#sharded.has(name) }
  list () { return [...this.#numbers.keys()].filter(name => !isShard(name)).concat(this.#sharded.names()).sort(compareUtf8) }

  /** Returns the shards of a database; undefined of one that is in one piece. @param {string} name */
  sharded (name) { return this.#sharded.get(name) }

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

  /** @param {string} name @param {{ meta?: Record<string, any>, partitioned?: boolean }} [options] */
  async create (name, { meta, partitioned } = {}) {
    this.#assertOpen()
    if (name === '' || !isStorable(name)) throw createError('ILLEGAL_DATABASE_NAME')
    const store = await this.#inTurn(() => this.#create(name, meta ?? {}, partitioned === true))
    this.emit('created', name, store)
    // Whoever is asked for it first has it.
    return this.#sharing === undefined ? store : null
  }

  /** @param {string} name @param {Record<string, any>} meta @param {boolean} partitioned */
  async #create (name, meta, partitioned) {
    if (this.has(name)) throw createError('DATABASE_EXISTS')
    const number = String(this.#next)
    const layout = new Layout(this.#prefixOf(number))
    const database = newDatabase({ revsLimit: this.#storeOptions.revsLimit ?? 1000, partitioned })
    await this.#writer.write([
      put(this.#prefix + 'n' + name, number),
      put(this.#prefix + 'q', String(this.#next + 1)),
      ...creation(layout, database, meta)
    ])
    this.#next++
    this.#numbers.set(name, number)
    return this.#sharing === undefined ? this.#opened(name, number) : { instanceId: database.instanceId, updateSeq: 0 }
  }

  /**
   * Makes a database of several shards, with all of them in one batch.
   *
   * @param {string} name
   * @param {number} q how many
   * @param {{ meta?: Record<string, any>, partitioned?: boolean }} [options] of each shard
   */
  async createSharded (name, q, { meta = {}, partitioned = false } = {}) {
    this.#assertOpen()
    if (name === '' || !isStorable(name)) throw createError('ILLEGAL_DATABASE_NAME')
    const database = newShardedDatabase(name, q, partitioned)
    await this.#inTurn(() => this.#createShards(database, meta))
    this.emit('created', name, { instanceId: database.instanceId, updateSeq: 0 })
    return database
  }

  /** @param {import('./shard-catalogue').ShardedDatabase} database @param {Record<string, any>} meta */
  async #createShards (database, meta) {
    const { name, shards, partitioned, instanceId, createdAt } = database
    if (this.has(name)) throw createError('DATABASE_EXISTS')
    const first = this.#next
    const own = { ...newDatabase({ revsLimit: this.#storeOptions.revsLimit ?? 1000, partitioned }), instanceId, createdAt }
    await this.#writer.write([
      ...shards.flatMap((shard, i) => [
        put(this.#prefix + 'n' + shard, String(first + i)),
        ...creation(new Layout(this.#prefixOf(String(first + i))), own, meta)
      ]),
      put(this.#prefix + 'q', String(first + shards.length)),
      put(this.#prefix + 's' + name, stored(database))
    ])
    this.#next += shards.length
    for (const [i, shard] of shards.entries()) this.#numbers.set(shard, String(first + i))
    this.#sharded.add(database)
  }

  /** @param {string} number */
  #prefixOf (number) {
    return `${this.#prefix}b${number}/`
  }

  /** @param {string} name @returns {Promise<DocumentStore>} */
  async get (name) {
    this.#assertOpen()
    const number = this.#numbers.get(name)
    if (number === undefined) throw this.#sharded.has(name) ? createError('NOT_IMPLEMENTED', { reason: `This cannot be done to ${name}, which is a database of several shards` }) : createError('NO_DATABASE')
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
    return joined(entries.map(([name], i) => summaryOf(name, texts[2 * i], texts[2 * i + 1])).filter((summary) => summary !== null))
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
    const options = { ...this.#storeOptions, revsLimit: undefined, name, prefix: this.#prefixOf(number), ...this.#unsure(number) }
    const level = this.#sharing === undefined ? this.#level : this.#sharing.levelOf(number)
    const store = await DocumentStore.open(level, options, () => this.destroy(name))
    const shown = publicName(name)
    store.on('commit', () => this.emit('updated', shown, store))
    this.emit('opened', store)
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
    const stores = await this.#inTurn(() => this.#sharded.has(name) ? this.#dropShards(name) : this.#drop(name).then(store => [store]))
    this.emit('deleted', name)
    for (const store of stores) store?.emit('destroy')
  }

  /** @param {string} name */
  async #dropShards (name) {
    const database = /** @type {import('./shard-catalogue').ShardedDatabase} */ (this.#sharded.get(name))
    const numbers = database.shards.map(shard => /** @type {string} */ (this.#numbers.get(shard)))
    this.#sharded.remove(name) // nobody opens it from here on
    for (const shard of database.shards) this.#numbers.delete(shard)
    try {
      for (const [i, shard] of database.shards.entries()) await this.#sharing?.seize(numbers[i], shard)
      const stores = await Promise.all(database.shards.map(shard => this.#open.get(shard)?.store))
      await Promise.all(stores.map(store => store?.close()))
      const operations = database.shards.flatMap((shard, i) => [del(this.#prefix + 'n' + shard), put(this.#prefix + 'x' + numbers[i], '')])
      await this.#writer.write([del(this.#prefix + 's' + name), ...operations], { kept: 'all' })
      for (const number of numbers) await this.#clear(number)
      return stores
    } catch (error) {
      if (await this.#keyspace.get(this.#prefix + 's' + name) !== undefined) {
        this.#sharded.add(database)
        for (const [i, shard] of database.shards.entries()) this.#numbers.set(shard, numbers[i])
      }
      throw error
    }
  }

  /** @param {string} name @returns {Promise<DocumentStore | undefined>} the store, if it was open */
  async #drop (name) {
    const number = this.#numbers.get(name)
    if (number === undefined) throw createError('NO_DATABASE')
    this.#numbers.delete(name) // nobody opens it from here on
    try {
      await this.#sharing?.seize(number, name)
      const store = await this.#open.get(name)?.store
      await store?.close()
      await this.#writer.write([del(this.#prefix + 'n' + name), put(this.#prefix + 'x' + number, '')], { kept: 'all' })
      await this.#clear(number)
      return store
    } catch (error) {
      if (await this.#keyspace.get(this.#prefix + 'n' + name) !== undefined) this.#numbers.set(name, number)
      throw error
    }
  }

  /** @param {string} number */
  async #clear (number) {
    const prefix = this.#prefixOf(number)
    await this.#writer.clear({ gte: prefix, lt: after(prefix) })
    await this.#writer.write([del(this.#prefix + 'x' + number)])
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

/**
 * Returns one summary for all shards of a database.
 *
 * @param {Array<{ name: string, instanceId: string, updateSeq: number }>} summaries
 */
function joined (summaries) {
  const byName = new Map()
  for (const summary of summaries) {
    const name = publicName(summary.name)
    const known = byName.get(name)
    byName.set(name, known === undefined ? { ...summary, name } : { ...known, updateSeq: known.updateSeq + summary.updateSeq })
  }
  return [...byName.values()]
}

/**
 * Returns what is said of a database; null of one that is damaged, which its opening tells.
 *
 * @param {string} name
 * @param {string | undefined} database
 * @param {string | undefined} state
 */
function summaryOf (name, database, state) {
  try {
    const { instanceId } = JSON.parse(database ?? '')
    return Totals.isText(state) ? { name, instanceId, updateSeq: new Totals(state).seq } : null
  } catch {
    return null
  }
}

module.exports = { Databases }
