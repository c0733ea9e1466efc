'use strict'

const fs = require('node:fs')
const { BroadcastChannel } = require('node:worker_threads')
const binding = require('../../binding/binding')
const { createError } = require('../../base/codes')
const { nodeOf } = require('../nodes/node')
const { Reach } = require('./reach')
const { Watch } = require('./watch')

/** @typedef {import('./changes').Change} Change */

/** Tells what commits change: this thread's watches, and by messages those of others. */
class Watching {
  #heap
  #path
  /** By the id of the object. @type {Map<number, Set<Watch>>} */
  #watches = new Map()
  /** Watches of all that an object leads to. @type {Set<Watch>} */
  #deep = new Set()
  /** @type {BroadcastChannel | undefined} */
  #channel
  #waits = 0

  /** @param {import('../heap/heap').Heap} heap @param {string} path of the pool */
  constructor (heap, path) {
    this.#heap = heap
    this.#path = path
  }

  get isEmpty () { return this.#watches.size === 0 }

  /**
   * Adds a watch.
   *
   * @param {object} object
   * @param {{ listener?: (notice: any) => void, deep?: boolean, signal?: AbortSignal }} options
   */
  add (object, { listener, deep = false, signal }) {
    const id = this.#check(object)
    signal?.throwIfAborted()
    const reach = deep ? new Reach(this.#heap, id) : undefined
    const watch = new Watch(object, reach, {
      listener, signal, onClose: each => this.#remove(id, each), onWait: isWaiting => this.#wait(isWaiting)
    })
    if (this.isEmpty) this.#listen()
    const known = this.#watches.get(id)
    if (known === undefined) this.#watches.set(id, new Set([watch]))
    else known.add(watch)
    if (deep) this.#deep.add(watch)
    return watch
  }

  /** Returns the id. @param {object} object */
  #check (object) {
    const node = nodeOf(object)
    if (node?.heap !== this.#heap) throw new TypeError('Only a persistent object of this pool can be watched')
    if (this.#heap.inTransaction) throw createError('PMEMOBJ_IN_TRANSACTION', 'A watch begins between transactions')
    node.checkExists()
    if (!node.attached) throw createError('PMEMOBJ_INVALID', 'The object is not in the pool yet: assign it first')
    return node.id
  }

  #listen () {
    this.#open()
    binding.watchObjects(this.#heap.pool, true)
  }

  #open () {
    if (this.#channel !== undefined) return this.#channel
    const channel = this.#channel = new BroadcastChannel(`pmemobj:${fs.realpathSync(this.#path)}`)
    channel.onmessage = message => this.#hear(/** @type {{ data: any }} */ (message).data)
    channel.unref()
    return channel
  }

  /** A program waits as long as somebody waits for the next notice. @param {boolean} isWaiting */
  #wait (isWaiting) {
    this.#waits += isWaiting ? 1 : -1
    if (this.#waits > 0) this.#channel?.ref()
    else this.#channel?.unref()
  }

  /** @param {number} id @param {Watch} watch */
  #remove (id, watch) {
    const known = this.#watches.get(id)
    known?.delete(watch)
    if (known?.size === 0) this.#watches.delete(id)
    this.#deep.delete(watch)
    if (this.isEmpty && !this.#heap.closed) binding.watchObjects(this.#heap.pool, false)
  }

  /**
   * Tells of what was just committed.
   *
   * @param {Change[]} changes
   * @param {boolean} others whether other threads watch
   */
  tell (changes, others) {
    if (changes.length === 0) return
    const commit = binding.epoch(this.#heap.pool)
    if (others) this.#open().postMessage({ commit, changes: changes.map(change => ({ ...change, keys: change.keys.map(toMessage) })) })
    this.#give(commit, changes, key => this.#heap.reveal(key))
  }

  /** Another thread has committed. @param {{ commit: number, changes: Change[] }} message */
  #hear ({ commit, changes }) {
    if (this.isEmpty) return
    this.#heap.refresh()
    this.#heap.enter()
    this.#give(commit, changes, key => this.#fromMessage(key))
  }

  /** @param {any} key */
  #fromMessage (key) {
    if (typeof key !== 'object' || key === null) return key
    if (key.symbol !== undefined) return Symbol.for(key.symbol)
    return this.#objectOf(key.id)
  }

  /** Undefined where it is not there any more. @param {number} id */
  #objectOf (id) {
    return this.#heap.identity.get(id) === undefined && this.#heap.read(id) === undefined ? undefined : this.#heap.find(id).reveal()
  }

  /**
   * Gives each watch what concerns it, once the program under way has come to its end. A commit has not failed because
   * an object is damaged.
   *
   * @param {number} commit
   * @param {Change[]} changes
   * @param {(key: any) => unknown} reveal
   */
  #give (commit, changes, reveal) {
    try {
      for (const give of this.#notices(commit, changes, reveal)) queueMicrotask(give)
    } catch (error) {
      queueMicrotask(() => { throw error })
    }
  }

  /**
   * Functions that give each watch what concerns it.
   *
   * @param {number} commit
   * @param {Change[]} changes
   * @param {(key: any) => unknown} reveal
   */
  #notices (commit, changes, reveal) {
    /** @type {Map<Watch, { object: object, keys: unknown[] }[]>} */
    const found = new Map()
    for (const change of changes) for (const watch of this.#deep) watch.reach?.follow(change)
    for (const change of changes) {
      const watches = this.#watchesOf(change.id)
      const object = watches.length === 0 ? undefined : this.#objectOf(change.id)
      if (object === undefined) continue
      const told = { object, keys: change.keys.map(reveal) }
      for (const watch of watches) found.set(watch, [...found.get(watch) ?? [], told])
    }
    return [...found].map(([watch, told]) => () => watch.give({ commit, changes: told }))
  }

  /** @param {number} id */
  #watchesOf (id) {
    const watches = new Set(this.#watches.get(id))
    for (const watch of this.#deep) if (watch.reach?.has(id)) watches.add(watch)
    return [...watches]
  }

  /** The pool is closed. */
  close () {
    for (const watches of this.#watches.values()) for (const watch of watches) watch.close()
    this.#channel?.close()
    this.#channel = undefined
  }
}

/** A key as other threads are told it. @param {any} key a slot */
function toMessage (key) {
  if (typeof key === 'symbol') return { symbol: Symbol.keyFor(key) }
  if (typeof key !== 'object' || key === null) return key
  return key.string === undefined ? { id: key.id } : key.string
}

module.exports = { Watching }
