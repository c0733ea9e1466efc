'use strict'

const { types } = require('node:util')
const { KIND, UNATTACHED } = require('../record/layout')
const { HOLE } = require('../record/values')
const { CollectionNode } = require('./collection-node')
const { prototypeOver, refuseOdd, standIn } = require('./native')
const { iterate } = require('./table-iterator')

/** A Set, that writes. */
class SetNode extends CollectionNode {
  static kinds = [KIND.set]

  static match (value) {
    return types.isSet(value)
  }

  static copy (value, heap) {
    refuseOdd(value, prototype)
    return new SetNode(heap, UNATTACHED)
  }

  get kind () { return KIND.set }

  fill (set, keep) {
    for (const element of set) this.table.append(keep(element, ''), undefined)
  }

  make () {
    return Object.preventExtensions(Object.setPrototypeOf(new Set([standIn('Set')]), prototype))
  }

  plain () {
    return new Set()
  }

  fillPlain (plain, copy) {
    for (const key of this.table.keys) {
      if (key !== HOLE) plain.add(copy(key))
    }
  }
}

const elements = (cursor, position) => cursor.key(position)

function entries (cursor, position) {
  const element = cursor.key(position)
  return [element, element]
}

/** They give new Sets, which are not in the pool, or booleans. */
function combine (name) {
  return (_node, [other], set) => new Set(set)[name](other)
}

const COMBINATIONS = [
  'union', 'intersection', 'difference', 'symmetricDifference', 'isSubsetOf', 'isSupersetOf', 'isDisjointFrom'
]

const prototype = prototypeOver(Set.prototype, {
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
})

module.exports = { SetNode }
