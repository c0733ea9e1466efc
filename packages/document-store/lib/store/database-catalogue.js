'use strict'

const { createError } = require('@potoroo/errors')
const { Keyspace, del, put } = require('../media/keyspace')
const { Layout, after } = require('../media/layout')
const { creation, newDatabase } = require('../media/meta')
const { Totals } = require('../commit/totals')
const { isStorable } = require('../commit/storable')
const { compareUtf8 } = require('../json/utf8-order')
const { ShardCatalogue, stored } = require('./shard-catalogue')
const { isShard, publicName } = require('./shard-names')

/**
 * @import { Level, Operation } from '../media/keyspace'
 * @import { Sharing, StoreOptions } from '../..'
 * @import { ShardedDatabase } from './shard-catalogue'
 */

/**
 * Numbers by name.
 * @extends {Map<string, string>}
 */
class Numbers extends Map {
  /** Grows with each change. */
  version = 0

  /** @param {string} name @param {string} number */
  set (name, number) {
    this.version++
    return super.set(name, number)
  }

  /** @param {string} name */
  delete (name) {
    this.version++
    return super.delete(name)
  }
}

/**
 * The names of databases in one level, and the numbers that stand for them. The layout of keys, after the prefix:
 *
 *   b number '/' …   a database: see layout.js
 *   n name           number of a database
 *   q                the next number
 *   s name           a database of shards, each a database itself: see shard-names.js
 *   x number         a database that was dropped and is not yet cleared
 *
 * The name is written with the database's own first records and dropped before its last ones, so a crash leaves either
 * a whole database or remains that `beginWriting` clears.
 */
class DatabaseCatalogue {
  #prefix
  #keyspace
  #revsLimit
  /** @type {Sharing | undefined} */
  #sharing
  #onUnsure
  /** By name. */
  #numbers = new Numbers()
  #sharded = new ShardCatalogue()
  /** The names in order, and of which moment they are. @type {{ names: readonly string[], numbers: Numbers, version: number, sharded: number } | null} */
  #sorted = null
  #next = 1
  /** Names that are being removed: they are not found meanwhile. @type {Set<string>} */
  #removing = new Set()

  /**
   * @param {Level} level
   * @param {StoreOptions & { sharing?: Sharing, onUnsure: () => void }} options onUnsure: is told that a write to the
   *   catalogue may have been done or not
   */
  constructor (level, { prefix = '', sharing, onUnsure, revsLimit = 1000, ...storeOptions }) {
    this.#prefix = prefix
    this.#sharing = sharing
    this.#onUnsure = onUnsure
    this.#revsLimit = revsLimit
    this.#keyspace = new Keyspace(level, storeOptions)
  }

  /** Reads all names. */
  async read () {
    const names = this.#prefix + 'n'
    const numbers = new Numbers()
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

  /** Clears what was dropped before, and numbers databases from here on. */
  async beginWriting () {
    this.#next = Number(await this.#keyspace.get(this.#prefix + 'q') ?? '1')
    const dropped = this.#prefix + 'x'
    for (const key of await this.#keyspace.keys({ gte: dropped, lt: after(dropped) }).all()) {
      await this.#clear(key.slice(dropped.length))
    }
  }

  /** Returns the number of a database as far as it is known, without reading. @param {string} name */
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
    if (this.#removing.has(name)) return undefined
    if (number === undefined) this.#numbers.delete(name)
    else this.#numbers.set(name, number)
    if (shards === undefined) this.#sharded.remove(name)
    else this.#sharded.load(name, shards)
    return number
  }

  /** Does as if there were no database of this name until it is looked up again. @param {string} name */
  forget (name) { this.#numbers.delete(name) }

  /** Whether there is a database of this number, which another server may have dropped. @param {string} number */
  async isThere (number) {
    const record = new Layout(this.prefixOf(number)).meta('database')
    const [database, dropped] = await this.#keyspace.getMany([record, this.#prefix + 'x' + number])
    return database !== undefined && dropped === undefined
  }

  /** Whether a database is being removed, which may fail yet. @param {string} name */
  isRemoving (name) { return this.#removing.has(name) }

  /** @param {string} name */
  has (name) { return this.#numbers.has(name) || this.#sharded.has(name) }

  /** @returns {readonly string[]} the names in order, the same list as long as they stay the same */
  list () {
    const numbers = this.#numbers
    const [version, sharded] = [numbers.version, this.#sharded.version]
    if (this.#sorted?.numbers !== numbers || this.#sorted.version !== version || this.#sorted.sharded !== sharded) {
      const names = [...numbers.keys()].filter(name => !isShard(name)).concat(this.#sharded.names()).sort(compareUtf8)
      this.#sorted = { names: Object.freeze(names), numbers, version, sharded }
    }
    return this.#sorted.names
  }

  /** Returns the shards of a database; undefined of one that is in one piece. @param {string} name */
  sharded (name) { return this.#sharded.get(name) }

  /** Returns the key that the number of a database is at. @param {string} name */
  nameKey (name) { return `${this.#prefix}n${name}` }

  /** Returns the start of all keys of a database. @param {string} number */
  prefixOf (number) { return `${this.#prefix}b${number}/` }

  /** Returns what is stored of each database, without opening any. */
  async summaries () {
    const entries = [...this.#numbers]
    const layouts = entries.map(([, number]) => new Layout(this.prefixOf(number)))
    const texts = await this.#keyspace.getMany(layouts.flatMap((layout) => [layout.meta('database'), layout.state]))
    return joined(entries.map(([name], i) => summaryOf(name, texts[2 * i], texts[2 * i + 1])).filter((summary) => summary !== null))
  }

  /** Adds a database. @param {string} name @param {Record<string, any>} meta @param {{ partitioned?: boolean, access?: boolean }} kind */
  async add (name, meta, kind) {
    if (this.has(name)) throw createError('DATABASE_EXISTS')
    const number = String(this.#next)
    const database = newDatabase({ revsLimit: this.#revsLimit, ...kind })
    await this.#writer.write([
      put(this.#prefix + 'n' + name, number),
      put(this.#prefix + 'q', String(this.#next + 1)),
      ...creation(new Layout(this.prefixOf(number)), database, meta)
    ])
    this.#next++
    this.#numbers.set(name, number)
    return { number, instanceId: database.instanceId }
  }

  /** Adds a database of several shards, with all of them in one batch. @param {ShardedDatabase} database @param {Record<string, any>} meta */
  async addShards (database, meta) {
    const { name, shards, partitioned, instanceId, createdAt } = database
    if (this.has(name)) throw createError('DATABASE_EXISTS')
    const first = this.#next
    const own = { ...newDatabase({ revsLimit: this.#revsLimit, partitioned }), instanceId, createdAt }
    await this.#writer.write([
      ...shards.flatMap((shard, i) => [
        put(this.#prefix + 'n' + shard, String(first + i)),
        ...creation(new Layout(this.prefixOf(String(first + i))), own, meta)
      ]),
      put(this.#prefix + 'q', String(first + shards.length)),
      put(this.#prefix + 's' + name, stored(database))
    ])
    this.#next += shards.length
    for (const [i, shard] of shards.entries()) this.#numbers.set(shard, String(first + i))
    this.#sharded.add(database)
  }

  /**
   * Removes a database, and what it has stored. It cannot be opened from here on.
   *
   * @template T
   * @param {string} name
   * @param {(pieces: Array<{ name: string, number: string }>) => Promise<T>} close closes it, or each of its shards
   * @returns {Promise<T>}
   */
  async remove (name, close) {
    const sharded = this.#sharded.get(name)
    const pieces = (sharded?.shards ?? [name]).map(piece => ({ name: piece, number: this.#numbers.get(piece) ?? '' }))
    if (sharded === undefined && pieces[0].number === '') throw createError('NO_DATABASE')
    this.#sharded.remove(name)
    const names = [name, ...pieces.map(piece => piece.name)]
    for (const each of names) {
      this.#numbers.delete(each)
      this.#removing.add(each)
    }
    const record = this.#prefix + (sharded === undefined ? 'n' : 's') + name
    try {
      const closed = await close(pieces)
      const operations = pieces.flatMap(piece => [del(this.#prefix + 'n' + piece.name), put(this.#prefix + 'x' + piece.number, '')])
      await this.#writer.write(sharded === undefined ? operations : [del(record), ...operations], { kept: 'all' })
      for (const { number } of pieces) await this.#clear(number)
      return closed
    } catch (error) {
      if (await this.#keyspace.get(record) !== undefined) {
        if (sharded !== undefined) this.#sharded.add(sharded)
        for (const piece of pieces) this.#numbers.set(piece.name, piece.number)
      }
      throw error
    } finally {
      for (const each of names) this.#removing.delete(each)
    }
  }

  /** @param {string} number */
  async #clear (number) {
    const prefix = this.prefixOf(number)
    await this.#writer.clear({ gte: prefix, lt: after(prefix) })
    await this.#writer.write([del(this.#prefix + 'x' + number)])
  }

  /** Returns how the catalogue is written. */
  get #writer () {
    return this.#sharing === undefined ? this.#keyspace : new Keyspace(this.#sharing.catalogue(), { onUnsure: this.#onUnsure })
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

module.exports = { DatabaseCatalogue }
