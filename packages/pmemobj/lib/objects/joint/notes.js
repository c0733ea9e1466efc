'use strict'

const { randomBytes } = require('node:crypto')
const binding = require('../../binding/binding')
const { JOINT_ID } = require('../../map/map-name')
const { OrderedMap } = require('../../map/ordered-map')
const { MAPS } = require('../record/layout')
const { decodePrepared } = require('./prepared')

/** Bytes of the ids of pools and of transactions. */
const ID = 16
const PREPARED = Buffer.from('prepared')

/** A pool's notes of transactions over several pools, in a map of its own. */
class Notes {
  #pool
  /** Its number. */
  #map
  #entries
  /** @type {Buffer | undefined} */
  #id

  /** @param {unknown} pool handle @param {number} map */
  constructor (pool, map) {
    this.#pool = pool
    this.#map = map
    this.#entries = new OrderedMap(pool, map, MAPS.joint)
  }

  /** @param {unknown} pool handle */
  static of (pool) {
    return new Notes(pool, binding.openMap(pool, MAPS.joint))
  }

  /** The same, of a pool that has had a part in one; else undefined. @param {unknown} pool handle */
  static find (pool) {
    const map = binding.findMap(pool, MAPS.joint)
    return map === undefined ? undefined : new Notes(pool, map)
  }

  /** @param {Buffer} key @returns {Buffer | undefined} */
  #get (key) {
    return this.#entries.get(key, { encoding: 'buffer' })
  }

  /** The id that others know the pool by; undefined where it has had no part yet. */
  get knownId () { return (this.#id ??= this.#get(JOINT_ID)) }

  /** The same, made where there is none. It is durable before another pool notes it: nobody could answer to it otherwise. */
  get id () {
    return this.knownId ?? this.renewId()
  }

  /** Gives the pool another id, durably: its former one may be that of a copy, too. */
  renewId () {
    const id = randomBytes(ID)
    this.#entries.put(JOINT_ID, id)
    this.flush()
    this.#id = id
    return id
  }

  /** The part of a transaction that waits for what another pool says. */
  get prepared () {
    const bytes = this.#get(PREPARED)
    return bytes === undefined ? undefined : decodePrepared(bytes)
  }

  /** @param {Buffer} bytes of it */
  prepare (bytes) {
    this.#entries.put(PREPARED, bytes)
    this.flush()
  }

  /** The part is not to be. */
  forget () {
    this.#entries.del(PREPARED)
    this.flush()
  }

  /** Makes it durable in a relaxed pool, too. */
  flush () {
    if (binding.isRelaxed(this.#pool)) binding.flush(this.#pool)
  }

  /**
   * The ids of the pools that may still have their parts to bring in; undefined where the transaction was not decided here.
   *
   * @param {Buffer} transaction its id
   */
  partsOf (transaction) {
    const ids = this.#get(keyOf(transaction))
    return ids && Array.from({ length: ids.length / ID }, (_, i) => ids.subarray(i * ID, (i + 1) * ID))
  }

  /** A pool has brought in its part, or all have. @param {Buffer} transaction @param {Buffer} [id] of the pool */
  settle (transaction, id) {
    const rest = id === undefined ? [] : this.partsOf(transaction)?.filter(each => !each.equals(id)) ?? []
    if (rest.length > 0) this.#entries.put(keyOf(transaction), Buffer.concat(rest))
    else this.#entries.del(keyOf(transaction))
  }

  // Operations of a commit

  /** @param {import('../record/writer').Writer} writer @param {Buffer} transaction @param {Buffer[]} ids of the pools with parts */
  writeDecision (writer, transaction, ids) {
    writer.begin(this.#map)
    writer.raw(keyOf(transaction))
    writer.value()
    for (const id of ids) writer.raw(id)
    writer.end()
  }

  /** All parts are brought in. @param {import('../record/writer').Writer} writer @param {Buffer} transaction */
  writeSettled (writer, transaction) {
    writer.deleteKey(this.#map, keyOf(transaction))
  }

  /** Its part is brought in. @param {import('../record/writer').Writer} writer */
  writeBroughtIn (writer) {
    writer.deleteKey(this.#map, PREPARED)
  }
}

/** @param {Buffer} transaction */
function keyOf (transaction) {
  return Buffer.concat([Buffer.from('decided'), transaction])
}

module.exports = { ID, Notes }
