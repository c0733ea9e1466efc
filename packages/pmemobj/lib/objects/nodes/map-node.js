'use strict'

const { types } = require('node:util')
const { KIND, UNATTACHED } = require('../record/layout')
const { HOLE } = require('../record/values')
const { appender } = require('./appender')
const { CollectionNode } = require('./collection-node')
const { prototypeOver, refuseOdd, standIn } = require('./native')
const { isAlike } = require('./content')
const { iterate } = require('./table-iterator')

/** A Map, that writes. */
class MapNode extends CollectionNode {
  static kinds = [KIND.map]

  /** @param {unknown} value */
  static match (value) {
    return types.isMap(value)
  }

  /** @param {Map<unknown, unknown>} value @param {import('../heap/heap').Heap} heap */
  static copy (value, heap) {
    refuseOdd(value, Map.prototype, prototype)
    return new MapNode(heap, UNATTACHED)
  }

  get kind () { return KIND.map }

  get hasValues () { return true }

  /** @param {Map<unknown, unknown>} map @param {import('../heap/types').Keep} keep */
  fill (map, keep) {
    const append = appender(this.table)
    for (const [key, value] of prototype.entries.call(map)) append(keep(key, ''), keep(value, ''))
  }

  /** @param {Map<unknown, unknown>} map @param {import('../heap/types').Content} content */
  isCopyOf (map, content) { return isAlike([...prototype.entries.call(map)].flatMap(([key, value]) => ['', key, '', value]), content) }

  make () {
    return Object.preventExtensions(Object.setPrototypeOf(new Map([[standIn('Map'), undefined]]), prototype))
  }

  plain () {
    return new Map()
  }

  /** @param {Map<unknown, unknown>} plain @param {import('../heap/types').CopyOut} copy */
  fillPlain (plain, copy) {
    const { keys, values } = this.table
    keys.forEach((key, position) => {
      if (key !== HOLE) plain.set(copy(key), copy(values[position]))
    })
  }
}

/** @param {import('./table-iterator').Cursor} cursor @param {number} position */
const entries = (cursor, position) => [cursor.key(position), cursor.value(position)]
/** @param {import('./table-iterator').Cursor} cursor @param {number} position */
const keys = (cursor, position) => cursor.key(position)
/** @param {import('./table-iterator').Cursor} cursor @param {number} position */
const values = (cursor, position) => cursor.value(position)

/** @type {any} */
const prototype = prototypeOver(Map.prototype, /** @type {import('./native').Methods<MapNode>} */ ({
  get: (node, [key]) => node.value(key),
  has: (node, [key]) => node.has(key),
  set (node, [key, value], map) {
    node.put(key, value)
    return map
  },
  delete: (node, [key]) => node.remove(key),
  clear: node => node.clear(),
  forEach (node, [callback, receiver], map) {
    if (typeof callback !== 'function') throw new TypeError(`${String(callback)} is not a function`)
    node.each((cursor, position) => callback.call(receiver, cursor.value(position), cursor.key(position), map))
  },
  size: node => node.size,
  entries: node => iterate(node, 'Map', entries),
  [Symbol.iterator]: node => iterate(node, 'Map', entries),
  keys: node => iterate(node, 'Map', keys),
  values: node => iterate(node, 'Map', values),
  // Methods of later versions of JavaScript.
  getOrInsert: (node, [key, value], map) => getOrInsert(node, key, () => value, map),
  getOrInsertComputed: (node, [key, compute], map) => getOrInsert(node, key, compute, map)
}))

/**
 * @param {MapNode} node
 * @param {unknown} key
 * @param {(key: unknown) => unknown} compute
 * @param {Map<unknown, unknown>} map
 */
function getOrInsert (node, key, compute, map) {
  if (!node.has(key)) map.set(key, compute(key))
  return map.get(key)
}

module.exports = { MapNode }
