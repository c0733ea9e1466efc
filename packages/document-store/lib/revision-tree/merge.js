'use strict'

const { addNode, link } = require('./encode')

/**
 * Merges one path into a tree, in place. Histories that arrive in any order give the same tree:
 * a path joins at its newest known revision and gives ancestors to roots that lacked them. If two
 * histories contradict each other, which those with real hashes do not, the first stays.
 *
 * @param {import('./encode').Tree} tree
 * @param {{ start: number, ids: string[] }} path newest first
 * @param {boolean} deleted whether the newest is
 * @returns {string[]} the leaves that now have descendants
 */
function mergePath (tree, path, deleted) {
  let child = tree.get(`${path.start}-${path.ids[0]}`) ?? addNode(tree, path.start, path.ids[0], deleted, null)
  const closed = []
  for (let i = 1; i < path.ids.length; i++) {
    if (child.parent !== null) {
      if (child.parent.hash !== path.ids[i]) break
      child = child.parent
      continue
    }
    const generation = path.start - i
    const known = tree.get(`${generation}-${path.ids[i]}`)
    if (known === undefined) {
      child = addNode(tree, generation, path.ids[i], false, child)
      continue
    }
    if (known.children === 0) closed.push(known.rev)
    link(child, known)
    child = known
  }
  return closed
}

/**
 * Whether a tree has a path already, so that to merge it would change nothing.
 *
 * @param {import('./encode').Tree} tree
 * @param {import('./encode').Path} path
 */
function holdsPath (tree, { start, ids }) {
  let node = tree.get(`${start}-${ids[0]}`) ?? null
  for (let i = 1; i < ids.length && node !== null; i++) {
    node = node.parent
    if (node !== null && node.hash !== ids[i]) return true
  }
  return node !== null
}

module.exports = { holdsPath, mergePath }
