'use strict'

const { Pool } = require('../..')
const { copy, describe, isObject, kindOf, walk } = require('./graph')

/**
 * The ground that programs run on: a pool, or its model. `held` are the objects that the program holds whether
 * or not the root leads to them.
 */
class World {
  /** @type {object[]} */
  held = []

  /** Transactions that are under way, one in the other. */
  depth = 0

  /** The objects that the root and the program lead to, of these kinds. */
  objects (...kinds) {
    const all = [...walk([this.root, ...this.held]).keys()]
    return kinds.length === 0 ? all : all.filter(object => kinds.includes(kindOf(object)))
  }

  /** If it throws, the program holds what it did before. */
  transaction (run) {
    this.depth++
    try {
      return this.runTransaction(run)
    } finally {
      this.depth--
    }
  }

  /** In words: all that a pool keeps, or all that the program can see. */
  describe ({ held = false, unknown = undefined } = {}) {
    const maps = this.mapNames().map(name => `map ${JSON.stringify(name)} ${JSON.stringify(this.entries(name))}`)
    return [describe(held ? [this.root, ...this.held] : [this.root], unknown), ...maps].join('\n')
  }
}

/** The same with plain JavaScript. A transaction that throws leaves a copy of what was before. */
class ModelWorld extends World {
  /** @type {unknown} */
  root = undefined

  /** @type {Map<string, Map<string, string>>} */
  #maps = new Map()

  save () {
    return copy({ root: this.root, held: this.held, maps: this.#maps })
  }

  restore (saved) {
    const { root, held, maps } = copy(saved)
    this.root = root
    this.held = held
    this.#maps = maps
  }

  runTransaction (run) {
    const saved = this.save()
    try {
      return run()
    } catch (error) {
      this.restore(saved)
      throw error
    }
  }

  create (value) { return value }
  mapNames () { return [...this.#maps.keys()].sort() }
  entries (name) { return [...this.#maps.get(name)].sort(([a], [b]) => a < b ? -1 : 1) }
  openMap (name) {
    if (!this.#maps.has(name)) this.#maps.set(name, new Map())
  }

  dropMap (name) { this.#maps.delete(name) }
  batch (operations) {
    for (const { name, key, value } of operations) {
      if (value === undefined) this.#maps.get(name).delete(key)
      else this.#maps.get(name).set(key, value)
    }
  }

  clearMap (name) { this.#maps.get(name).clear() }
  setBytes (buffer, offset, bytes) { new Uint8Array(buffer).set(bytes, offset) }
  forget () { this.held = [] }
  collect () {}
  flush () {}
}

/** A pool. */
class PoolWorld extends World {
  #path
  #options

  /**
   * @param {string} path
   * @param {import('../..').OpenOptions} options
   */
  constructor (path, options) {
    super()
    this.#path = path
    this.#options = options
    this.pool = Pool.open(path, options)
  }

  get root () { return this.pool.root }
  set root (value) { this.pool.root = value }

  reopen () {
    this.held = []
    this.pool.close()
    this.pool = Pool.open(this.#path, this.#options)
  }

  runTransaction (run) {
    const held = [...this.held]
    try {
      return this.runOnPool(run)
    } catch (error) {
      this.held = held
      throw error
    }
  }

  runOnPool (run) { return this.pool.transaction(run) }
  create (value) { return isObject(value) ? this.pool.create(value) : value }
  mapNames () { return this.pool.maps() }
  entries (name) {
    const iterator = this.pool.map(name).iterator()
    const entries = []
    for (let page = iterator.nextv(1000); page.length > 0; page = iterator.nextv(1000)) {
      for (let i = 0; i < page.length; i += 2) entries.push([page[i], page[i + 1]])
    }
    iterator.close()
    return entries
  }

  openMap (name) { this.pool.map(name) }
  dropMap (name) { this.pool.dropMap(name) }
  batch (operations) {
    if (operations.length === 1) {
      const [{ name, key, value }] = operations
      const map = this.pool.map(name)
      if (value === undefined) map.del(key)
      else map.put(key, value)
    } else {
      this.pool.write(operations.flatMap(({ name, key, value }) => [this.pool.map(name), value === undefined ? 'del' : 'put', key, value]))
    }
  }

  clearMap (name) { this.pool.map(name).clear() }
  setBytes (buffer, offset, bytes) {
    if (this.depth > 0) buffer.snapshot(offset, bytes.length)
    new Uint8Array(buffer).set(bytes, offset)
    if (this.depth === 0) buffer.flush(offset, bytes.length)
  }

  forget () { this.reopen() }
  collect () { this.pool.collect() }
  flush () { this.pool.flush() }
  clear () {
    this.held = []
    this.root = undefined
    for (const name of this.mapNames()) this.dropMap(name)
  }

  close () { this.pool.close() }
}

module.exports = { ModelWorld, PoolWorld }
