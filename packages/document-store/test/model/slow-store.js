'use strict'

/**
 * A document store as slow and obvious as can be: the model. A document is a list of nodes
 * `{ rev, generation, hash, parent, deleted, stored }`; parent is a revision or null, stored what was
 * written, `{ number, file }`, or null where only the revision is known.
 */
class SlowStore {
  documents = new Map()
  locals = new Map()
  seq = 0
  purgeSeq = 0
  limit = 1000

  /** @param {boolean} compacts whether writes drop the bodies that they supersede */
  constructor (compacts) {
    this.compacts = compacts
  }

  nodes (id) { return this.documents.get(id)?.nodes ?? [] }
  find (id, rev) { return this.nodes(id).find((node) => node.rev === rev) }

  /** Leaves, the winner first. */
  leaves (id) {
    const nodes = this.nodes(id)
    return nodes.filter(({ rev }) => !nodes.some(({ parent }) => parent === rev)).sort(byRank)
  }

  /** Revisions from one to its root. */
  history (id, rev) {
    const node = this.find(id, rev)
    return node === undefined ? [] : [rev, ...this.history(id, node.parent)]
  }

  /** Returns the revision that an interactive edit of `rev` extends; undefined for a conflict, null for a new document. */
  parentOf (id, rev, deleted) {
    const [winner] = this.leaves(id)
    if (rev !== null) return this.leaves(id).some((leaf) => leaf.rev === rev) ? rev : undefined
    if (winner === undefined) return null
    return winner.deleted && !deleted ? winner.rev : undefined
  }

  /** Adds a path, newest first. */
  add (id, path, deleted, stored) {
    const before = shapeOf(this.nodes(id))
    const nodes = [...this.nodes(id)].map((node) => ({ ...node }))
    const known = (rev) => nodes.find((node) => node.rev === rev)
    path.forEach((rev, i) => {
      const parent = path[i + 1] ?? null
      if (known(rev) !== undefined) known(rev).parent ??= parent
      else nodes.push(nodeOf(rev, parent, i === 0 && deleted, i === 0 ? stored : null))
    })
    if (shapeOf(nodes) === before) return
    const kept = stem(nodes, this.limit)
    if (shapeOf(kept) !== before) this.documents.set(id, { nodes: kept, seq: null })
  }

  /** Ends a write of these documents: each that it changed gets one sequence. */
  commit (ids) {
    for (const id of new Set(ids)) {
      const document = this.documents.get(id)
      if (document !== undefined) document.seq ??= ++this.seq
    }
    if (this.compacts) this.compact()
  }

  compact () {
    for (const [id, { nodes }] of this.documents) {
      const leaves = this.leaves(id)
      for (const node of nodes) if (!leaves.includes(node)) node.stored = null
    }
  }

  /** @returns {string[]} the revisions that went */
  purge (id, revs) {
    if (revs.length > 0) this.purgeSeq++
    const gone = this.leaves(id).map(({ rev }) => rev).filter((rev) => revs.includes(rev))
    if (gone.length === 0) return gone
    const kept = new Set(this.leaves(id).filter(({ rev }) => !gone.includes(rev)).flatMap(({ rev }) => this.history(id, rev)))
    this.seq++
    if (kept.size === 0) this.documents.delete(id)
    else this.documents.set(id, { nodes: this.nodes(id).filter(({ rev }) => kept.has(rev)), seq: this.seq })
    return gone
  }
}

function nodeOf (rev, parent, deleted, stored) {
  const dash = rev.indexOf('-')
  return { rev, generation: Number(rev.slice(0, dash)), hash: rev.slice(dash + 1), parent, deleted, stored }
}

/** Keeps what is less than `limit` away from a leaf. */
function stem (nodes, limit) {
  const kept = new Set()
  for (const leaf of nodes.filter(({ rev }) => !nodes.some(({ parent }) => parent === rev))) {
    for (let node = leaf, i = 0; node !== undefined && i < limit; node = nodes.find(({ rev }) => rev === node.parent), i++) kept.add(node.rev)
  }
  return nodes.filter(({ rev }) => kept.has(rev)).map((node) => kept.has(node.parent) ? node : { ...node, parent: null })
}

function shapeOf (nodes) {
  return JSON.stringify(nodes.map(({ rev, parent }) => [rev, parent]).sort())
}

function byRank (a, b) {
  if (a.deleted !== b.deleted) return a.deleted ? 1 : -1
  if (a.generation !== b.generation) return b.generation - a.generation
  return a.hash < b.hash ? 1 : -1
}

module.exports = { SlowStore }
