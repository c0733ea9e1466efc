'use strict'

const { editHash, keyedHash } = require('../commit/edit-hash')
const { attachmentsOf, bodyOf } = require('../media/record')
const { compareLeaves } = require('../revision-tree/revision')
const { addNode } = require('../revision-tree/encode')

/**
 * @import { Node, Tree } from '../revision-tree/encode'
 *
 * @typedef {{ rev: string, generation: number, hash: string, deleted: boolean, parent: string }} Found a revision whose body
 *   is there; `parent` is '' where it is not known
 */

/**
 * Makes a revision tree for a document whose own is lost, of the revisions whose bodies are there. If hashes are those
 * of the edits, they prove which revision descends from which; for the others the document's last change says which are
 * leaves. The latest of those whose place cannot be told becomes a leaf: it is the last that is left of the branch whose
 * end is lost.
 *
 * @param {Map<string, string>} bodies payloads by revision, one at least
 * @param {{ deleted: boolean, leaves: string[] } | undefined} change
 * @param {{ id: string, key: string }} secret what the hashes of a database with access by document are made with; '' of another
 * @returns {{ tree: Tree, leaves: Node[] }}
 */
function rebuildTree (bodies, change, secret) {
  const found = new Map([...bodies].map(([rev, payload]) => [rev, nodeOf(rev, payload, bodies, secret)]))
  const isLeaf = (/** @type {string} */ rev) => change?.leaves.includes(rev) === true
  if (change?.deleted) for (const node of found.values()) if (isLeaf(node.rev)) node.deleted = true
  /** @type {Tree} */
  const tree = new Map()
  const leaves = [...found.keys()].filter(isLeaf).map(rev => addPath(tree, found, rev))
  const rest = [...found.values()].filter(({ rev }) => !tree.has(rev)).sort((a, b) => compareLeaves({ ...a, deleted: false }, { ...b, deleted: false }))
  if (rest.length > 0 && leaves.every(({ generation }) => generation <= rest[0].generation)) leaves.push(addPath(tree, found, rest[0].rev))
  return { tree, leaves: leaves.filter(({ children }) => children === 0) }
}

/**
 * Returns a revision with what its body proves.
 *
 * @param {string} rev
 * @param {string} payload
 * @param {Map<string, string>} bodies
 * @param {{ id: string, key: string }} secret
 * @returns {Found}
 */
function nodeOf (rev, payload, bodies, secret) {
  const dash = rev.indexOf('-')
  const [generation, hash] = [Number(rev.slice(0, dash)), rev.slice(dash + 1)]
  const parents = generation === 1 ? [null] : [...bodies.keys()].filter(each => each.startsWith(`${generation - 1}-`))
  for (const parent of parents) {
    for (const deleted of [false, true]) {
      if (isHashOf(hash, deleted, parent, payload, secret)) return { rev, generation, hash, deleted, parent: parent ?? '' }
    }
  }
  // A deletion has an empty body, nearly always.
  return { rev, generation, hash, deleted: payload === '\n{}', parent: '' }
}

/**
 * Tells whether a hash is that of the edit, as either face writes it; a replicated one has no key.
 *
 * @param {string} hash
 * @param {boolean} deleted
 * @param {string | null} parent
 * @param {string} payload
 * @param {{ id: string, key: string }} secret
 */
function isHashOf (hash, deleted, parent, payload, { id, key }) {
  const text = attachmentsOf(payload)
  const attachments = text === '' ? {} : JSON.parse(text)
  const hashes = [true, 'couchdb'].map(kind => editHash(deleted, parent, attachments, bodyOf(payload), /** @type {true | 'couchdb'} */ (kind)))
  return hashes.some(each => each === hash || (key !== '' && keyedHash(key, id, each) === hash))
}

/**
 * Adds a leaf and all its ancestors that are known.
 *
 * @param {Tree} tree
 * @param {Map<string, Found>} found
 * @param {string} rev
 * @returns {Node}
 */
function addPath (tree, found, rev) {
  /** @type {Node | null} */
  let child = null
  for (let at = found.get(rev); at !== undefined; at = found.get(at.parent)) {
    const known = tree.get(at.rev)
    if (known !== undefined) {
      if (child !== null && child.parent === null) {
        child.parent = known
        known.children++
      }
      break
    }
    child = addNode(tree, at.generation, at.hash, at.deleted, child)
  }
  return /** @type {Node} */ (tree.get(rev))
}

module.exports = { rebuildTree }
