'use strict'

const { nodeOf } = require('../nodes/node')

/**
 * A copy of a persistent value in JavaScript's memory, with its cycles and shared references. A
 * value that is not in a pool is given as it is.
 *
 * @param {any} value
 * @param {number} [depth] levels below it that are copied too; what lies deeper is left as it is
 */
function plain (value, depth = Infinity) {
  /** @type {Map<import('../nodes/node').Node, any>} */
  const copies = new Map()
  /** @type {{ node: import('../nodes/node').Node, made: any, level: number }[]} */
  const waiting = []
  /** @param {unknown} object @param {number} level */
  const copy = (object, level) => {
    const node = nodeOf(object)
    if (node === undefined || level > depth) return object
    let made = copies.get(node)
    if (made === undefined) {
      made = node.plain(slot => copy(node.heap.reveal(slot), level + 1))
      copies.set(node, made)
      waiting.push({ node, made, level })
    }
    return made
  }
  const result = copy(value, 0)
  for (const { node, made, level } of waiting) {
    node.load()
    node.fillPlain(made, slot => copy(node.heap.reveal(slot), level + 1))
  }
  return result
}

module.exports = { plain }
