'use strict'

const { decodeHash, encodeHash } = require('./revision')
const { leavesOf } = require('./leaves')

/**
 * A tree in memory is a Map from revision to node; several roots are possible (after stemming,
 * or where ancestors never arrived). As text it is its paths, the winner's first, then the
 * other leaves' in order of rank:
 *
 *   path { '|' mark path }     the winner's own mark is the document record's flag
 *
 *   path   generation '-' hash { mark hash } [ '^' number ]
 *          newest first; ends at its root or, with ^, before the first node that an earlier
 *          path holds: number says which path, from 0
 *   mark   ',' live, '!' deleted: of the node that follows
 *
 * So a linear history is `3-c,b,a`, and an edit of it puts `4-d,` in front.
 *
 * @typedef {{ rev: string, generation: number, hash: string, deleted: boolean, parent: Node | null, children: number }} Node
 * @typedef {Map<string, Node>} Tree
 * @typedef {{ start: number, ids: string[] }} Path a history, newest first
 */

/** @param {Tree} tree @returns {string} */
function encodeTree (tree) {
  /** @type {Map<Node, number>} */
  const written = new Map()
  return leavesOf(tree).map((leaf, index) => {
    const path = encodePath(leaf, index, written)
    return index === 0 ? path : `|${mark(leaf)}${path}`
  }).join('')
}

/** @param {Node} leaf @param {number} index @param {Map<Node, number>} written */
function encodePath (leaf, index, written) {
  let text = `${leaf.generation}-${encodeHash(leaf.hash)}`
  written.set(leaf, index)
  for (let node = leaf.parent; node !== null; node = node.parent) {
    const joined = written.get(node)
    if (joined !== undefined) return `${text}^${joined}`
    text += mark(node) + encodeHash(node.hash)
    written.set(node, index)
  }
  return text
}

/** @param {Node} node */
function mark (node) { return node.deleted ? '!' : ',' }

/**
 * @param {string} text
 * @param {boolean} deleted whether the winner is
 * @returns {Tree}
 */
function decodeTree (text, deleted) {
  /** @type {Tree} */
  const tree = new Map()
  const paths = text.split('|')
  for (let i = 0; i < paths.length; i++) {
    if (i === 0) decodePath(tree, paths[0], deleted, paths)
    else decodePath(tree, paths[i].slice(1), paths[i][0] === '!', paths)
  }
  return tree
}

/** @param {Tree} tree @param {string} path @param {boolean} deleted @param {string[]} paths */
function decodePath (tree, path, deleted, paths) {
  const caret = path.indexOf('^')
  const own = caret === -1 ? path : path.slice(0, caret)
  const dash = own.indexOf('-')
  let generation = Number(own.slice(0, dash))
  let start = dash + 1
  /** @type {Node | null} */
  let child = null
  for (let i = start; i <= own.length; i++) {
    const code = own.charCodeAt(i) // NaN at the end
    if (i < own.length && code !== 44 && code !== 33) continue
    child = addNode(tree, generation--, decodeHash(own.slice(start, i)), deleted, child)
    deleted = code === 33
    start = i + 1
  }
  if (caret !== -1) link(/** @type {Node} */ (child), nodeInPath(tree, paths, Number(path.slice(caret + 1)), generation))
}

/**
 * @param {Tree} tree
 * @param {number} generation
 * @param {string} hash
 * @param {boolean} deleted
 * @param {Node | null} child
 */
function addNode (tree, generation, hash, deleted, child) {
  const rev = `${generation}-${hash}`
  /** @type {Node} */
  const node = { rev, generation, hash, deleted, parent: null, children: 0 }
  tree.set(rev, node)
  if (child !== null) link(child, node)
  return node
}

/** @param {Node} child @param {Node} parent */
function link (child, parent) {
  child.parent = parent
  parent.children++
}

/**
 * The node of a generation in an earlier path: climbs from that path's leaf.
 *
 * @param {Tree} tree
 * @param {string[]} paths
 * @param {number} index
 * @param {number} generation
 */
function nodeInPath (tree, paths, index, generation) {
  const path = index === 0 ? paths[0] : paths[index].slice(1)
  const leaf = /^[^,!^]+/.exec(path)?.[0] ?? ''
  let node = /** @type {Node} */ (tree.get(decodeHash(leaf)))
  while (node !== undefined && node.generation > generation) node = /** @type {Node} */ (node.parent)
  return node
}

module.exports = { encodeTree, decodeTree, addNode, link }
