'use strict'

const { types } = require('node:util')
const { KIND, UNATTACHED } = require('../record/layout')
const { HOLE } = require('../record/values')
const { appender } = require('./appender')
const { CollectionNode } = require('./collection-node')
const { prototypeOver, refuseOdd, standIn } = require('./native')
const { isAlike } = require('./content')
const { iterate } = require('./table-iterator')

/** A Set, that writes. */
class SetNode extends CollectionNode {
  static kinds = [KIND.set]

  /** @param {unknown} value */
  static match (value) {
    return types.isSet(value)
  }

  /** @param {Set<unknown>} value @param {import('../heap/heap').Heap} heap */
  static copy (value, heap) {
    refuseOdd(value, Set.prototype, prototype)
    return new SetNode(heap, UNATTACHED)
  }

  get kind () { return KIND.set }

  /** @param {Set<unknown>} set @param {import('../heap/types').Keep} keep */
  fill (set, keep) {
    const append = appender(this.table)
    for (const element of prototype.values.call(set)) append(keep(element, ''), undefined)
  }

  /** @param {Set<unknown>} set @param {import('../heap/types').Content} content */
  isCopyOf (set, content) { return isAlike([...prototype.values.call(set)].flatMap(element => ['', element]), content) }

  make () {
    return Object.preventExtensions(Object.setPrototypeOf(new Set([standIn('Set')]), prototype))
  }

  plain () {
    return new Set()
  }

  /** @param {Set<unknown>} plain @param {import('../heap/types').CopyOut} copy */
  fillPlain (plain, copy) {
    for (const key of this.table.keys) {
      if (key !== HOLE) plain.add(copy(key))
    }
  }
}

/** @param {import('./table-iterator').Cursor} cursor @param {number} position */
const elements = (cursor, position) => cursor.key(position)

/** @param {import('./table-iterator').Cursor} cursor @param {number} position */
function entries (cursor, position) {
  const element = cursor.key(position)
  return [element, element]
}

/**
 * They give new Sets, which are not in the pool, or booleans.
 *
 * @param {string} name
 * @returns {import('./native').Method<SetNode>}
 */
function combine (name) {
  return (_node, [other], set) => /** @type {Record<string, Function>} */ (/** @type {unknown} */ (new Set(set)))[name](other)
}

const COMBINATIONS = [
  'union', 'intersection', 'difference', 'symmetricDifference', 'isSubsetOf', 'isSupersetOf', 'isDisjointFrom'
]

/** @type {any} */
const prototype = prototypeOver(Set.prototype, /** @type {import('./native').Methods<SetNode>} */ ({
  ...Object.fromEntries(COMBINATIONS.map(name => [name, combine(name)])),
  has: (node, [element]) => node.has(element),
  add (node, [element], set) {
    node.put(element, undefined)
    return set
  },
  delete: (node, [element]) => node.remove(element),
  clear: node => node.clear(),
  forEach (node, [callback, receiver], set) {
    if (typeof callback !== 'function') throw new TypeError(`${String(callback)} is not a function`)
    node.each((cursor, position) => {
      const element = cursor.key(position)
      callback.call(receiver, element, element, set)
    })
  },
  size: node => node.size,
  entries: node => iterate(node, 'Set', entries),
  keys: node => iterate(node, 'Set', elements),
  values: node => iterate(node, 'Set', elements),
  [Symbol.iterator]: node => iterate(node, 'Set', elements)
}))

module.exports = { SetNode }
