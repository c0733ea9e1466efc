'use strict'

const { types } = require('node:util')
const { createError } = require('../../base/codes')
const { UNATTACHED } = require('../record/layout')

/** The version of a node whose data are not in memory. */
const UNLOADED = -1
/** Stands for data that are not in memory: `load()` comes before any look at them. */
const NOTHING = /** @type {never} */ (undefined)

/** Objects that users hold → their nodes, of all pools of the thread: those that are no Proxies. @type {WeakMap<object, Node>} */
const nodes = new WeakMap()
/** Proxies give their nodes by this name: each entry of a WeakMap costs every garbage collection. */
const NODE = Symbol('node')

/**
 * The node of a persistent object; undefined where it is none.
 *
 * @param {unknown} object
 * @returns {Node | undefined}
 */
function nodeOf (object) {
  const node = nodes.get(/** @type {object} */ (object))
  return node === undefined && types.isProxy(object) ? nodeOfProxy(object) : node
}

/** @param {any} proxy maybe somebody else's, around one of ours @returns {Node | undefined} */
function nodeOfProxy (proxy) {
  try {
    const node = proxy[NODE]
    return node instanceof Node && node.object === proxy ? node : undefined
  } catch {
    return undefined
  }
}

/**
 * Has another object stand for a persistent one: the pool takes it for that.
 *
 * @param {object} object
 * @param {unknown} persistent
 */
function standFor (object, persistent) {
  const node = nodeOf(persistent)
  if (node !== undefined) nodes.set(object, node)
}

/**
 * All that is known of a persistent object: its id, its data where they are in memory, and what users
 * hold of it. A slot of its data holds a primitive, another Node, a Reference or a Text.
 *
 * A kind of object is a class with
 *
 *   static match(value, heap)  whether it keeps that plain value
 *   static copy(value, heap)   a node, not attached, for it, still empty
 *   static kinds               first bytes of its records
 *   make()                     what users hold
 *   fill(value, keep)          takes the plain value's content; `keep(child)` gives what a slot holds
 *   decode(reader, kind)       takes a record
 *   encode(writer, map)        puts what has changed
 *   isCopyOf(value, content)   whether a plain value still has what `fill` took of it; bytes are compared with what the node has
 *   eachChild(visit)           calls for what its slots hold; only of what is in memory
 *   plain(copy)                an empty plain value, or what is no container
 *   fillPlain(plain, copy)     fills it; `copy(slot)` gives what a slot holds as a plain value
 *   undo(what, former)         takes a change back
 */
class Node {
  /**
   * @param {import('../heap/heap').Heap} heap
   * @param {number} id
   */
  constructor (heap, id) {
    this.heap = heap
    this.id = id
    // As good as the heap's: its data are what the heap sees now.
    this.version = id === UNATTACHED ? heap.version : UNLOADED
    this.touched = true
    this.cached = false
    this.dirty = false
    // Operations under way that need its data to stay.
    this.pins = 0
    /** The object that users hold, for a while after they were given it; weakly for longer. @type {object | undefined} */
    this.shown = undefined
    /** @type {WeakRef<object> | undefined} */
    this.weak = undefined
  }

  /** Whether users hold a Proxy of it, whose handler it is. */
  get isProxied () { return false }

  get attached () { return this.id !== UNATTACHED }

  /** The object that users hold, if they may still hold it. @returns {object | undefined} */
  get object () { return this.shown ?? this.weak?.deref() }

  /**
   * Whether something is what users hold. To ask the weak reference would take longer.
   *
   * @param {unknown} object
   */
  isShownAs (object) {
    return object === this.shown || nodeOf(object) === this
  }

  /** Returns the object that users get. @returns {object} */
  reveal () {
    return this.shown ?? this.#show()
  }

  #show () {
    const { object } = this
    if (object === undefined) return this.#makeObject()
    this.shown = object
    this.heap.identity.show(this)
    return object
  }

  #makeObject () {
    // There may be one by another way: then this was only a copy of its data.
    const known = this.attached ? this.heap.identity.get(this.id) : undefined
    if (known !== undefined && known !== this) return known.reveal()
    return this.handOut(this.make())
  }

  /**
   * Makes something what users hold of it.
   *
   * @param {object} object
   */
  handOut (object) {
    if (!this.isProxied) nodes.set(object, this)
    this.shown = object
    this.weak = new WeakRef(object)
    this.heap.identity.add(this)
    this.heap.identity.show(this)
    return object
  }

  /** Called where `version` is not the heap's. */
  load () {
    const { heap } = this
    heap.enter()
    if (this.version === heap.version) return
    if (!this.attached) {
      this.version = heap.version
      return
    }
    const reader = heap.read(this.id)
    if (reader === undefined) throw notFound()
    this.decode(reader, reader.u8())
    this.version = heap.version
    heap.cache.add(this)
  }

  /** Throws where the object was collected while this thread only read: nothing may refer to it then. */
  checkExists () {
    const { heap } = this
    if (!this.attached || this.version === heap.version) return
    if (heap.read(this.id) === undefined) throw notFound()
  }

  /**
   * A slot does not refer to it any more.
   *
   * @param {import('../heap/heap').Heap} heap
   */
  drop (heap) {
    heap.collector.dropped()
  }

  unload () {
    this.version = UNLOADED
    this.forget()
  }

  /** Has just got an id; all of it is to be written. */
  attach () {
    const { heap } = this
    this.id = this.newId()
    heap.transaction.remember(this, Node.ATTACH, undefined)
    heap.transaction.mark(this)
    if (this.object !== undefined) heap.identity.add(this)
    this.touchAll()
  }

  /** The id of one that the transaction adds. */
  newId () {
    return this.heap.newId()
  }

  detach () {
    const { identity } = this.heap
    identity.remove(this.id)
    this.id = UNATTACHED
    if (this.object !== undefined) identity.add(this)
  }

  /** Its changes are in the pool. */
  committed () {
    this.heap.cache.add(this)
    this.settle()
  }

  /** Its changes were taken back. */
  dismissed () {
    this.settle()
  }

  // For subclasses.

  /** @returns {object} */
  make () { throw new Error('A node of no kind') }
  /** Drops its data. */
  forget () {}
  /** Notes that all of it is to be written. */
  touchAll () {}
  /** Nothing of it has to be written any more. */
  settle () {}
  /** @param {import('../record/reader').Reader} _reader @param {number} _kind */
  decode (_reader, _kind) {}
  /** @param {import('../record/writer').Writer} _writer @param {number} _map */
  encode (_writer, _map) {}
  /** @param {import('../heap/types').Visit} _visit */
  eachChild (_visit) {}
  /** Puts other slots in the place of its own: nothing is remembered. @param {(slot: import('../heap/types').Slot) => import('../heap/types').Slot} _other */
  exchange (_other) { throw new Error('A node of this kind has records of its own only') }
  /** Takes the content of a plain value. @param {any} _value @param {import('../heap/types').Keep} _keep */
  fill (_value, _keep) {}
  /** @param {any} _value @param {import('../heap/types').Content} _content @returns {boolean} */
  isCopyOf (_value, _content) { return false }
  /** @param {import('../heap/types').CopyOut} _copy @returns {any} */
  plain (_copy) { throw new Error('A node of no kind') }
  /** @param {any} _plain @param {import('../heap/types').CopyOut} _copy */
  fillPlain (_plain, _copy) {}
  /** @param {any} what @param {any} _former */
  undo (what, _former) {
    if (what === Node.ATTACH) this.detach()
  }

  /**
   * Does something that changes the node: all of it or nothing, and durable on return where the node
   * is attached and no transaction is under way.
   *
   * @template T
   * @param {() => T} operation
   * @returns {T}
   */
  change (operation) {
    const { heap } = this
    const savepoint = heap.begin()
    let result
    this.pins++
    try {
      if (this.version !== heap.version) this.load()
      result = operation()
    } catch (error) {
      heap.rollBack(savepoint)
      throw error
    } finally {
      this.pins--
    }
    heap.commit()
    return result
  }

  /**
   * Makes a slot of a value that users give.
   *
   * @param {unknown} value
   */
  adopt (value) {
    if (typeof value === 'number') return value
    const slot = this.heap.adopt(value, this.attached)
    // To copy calls getters, and reads other nodes, which may have taken this one's place.
    if (this.version !== this.heap.version) this.load()
    return slot
  }
}

Node.ATTACH = 'attach'

function notFound () {
  return createError('PMEMOBJ_NOT_FOUND', 'The object is not in the pool any more')
}

module.exports = { NODE, NOTHING, Node, UNLOADED, nodeOf, standFor }
