'use strict'

const assert = require('node:assert/strict')
const fc = require('fast-check')
const merge = require('pouchdb-merge')
const { DocumentState } = require('../lib/commit/document-state')
const { encodeDocument, DocumentRecord } = require('../lib/media/record')
const { decodeTree, encodeTree } = require('../lib/revision-tree/encode')
const { stemLinear } = require('../lib/revision-tree/linear')
const { leavesOf } = require('../lib/revision-tree/leaves')
const { mergePath } = require('../lib/revision-tree/merge')
const { pouchForm } = require('../lib/revision-tree/pouch-form')
const { stem } = require('../lib/revision-tree/stem')
const { winnerOfTree } = require('../lib/revision-tree/winner')
const { histories, shuffled } = require('./revision-histories')

const NO_LIMIT = 1000

function treeOf (edits) {
  const tree = new Map()
  for (const { path, deleted } of edits) mergePath(tree, path, deleted)
  return tree
}

/** By way of the store's own document state, stored and read again after each edit. */
function stateOf (edits, limit = NO_LIMIT) {
  let record
  for (const { path, deleted } of edits) {
    const state = new DocumentState('a', record)
    if (state.has(`${path.start}-${path.ids[0]}`)) state.learn(path, limit)
    else state.add(path, deleted, '\n{}', limit)
    if (!state.touched) continue
    const { leaves, rest } = state.encode()
    record = encodeDocument(state.deleted, 1, leaves[0], rest, '\n{}')
  }
  return new DocumentRecord(record)
}

/** The same, in one commit. */
function stateOfOneCommit (edits, limit, first) {
  const state = new DocumentState('a', first)
  for (const { path, deleted } of edits) {
    if (state.has(`${path.start}-${path.ids[0]}`)) state.learn(path, limit)
    else state.add(path, deleted, '\n{}', limit)
    const winner = winnerOfTree(decodeTree(textOf(state), state.deleted))
    assert.deepEqual([state.winner, state.deleted], [winner.rev, winner.deleted])
  }
  return textOf(state)
}

function textOf (state) {
  const { leaves, rest } = state.encode()
  return leaves[0] + rest
}

/** pouchdb-merge's tree, by its own rules. */
function pouchTreeOf (edits, limit = NO_LIMIT) {
  let tree = []
  for (const { path: { start, ids }, deleted } of edits) {
    if (merge.revExists(tree, `${start}-${ids[0]}`)) continue
    const options = deleted ? { status: 'available', deleted: true } : { status: 'available' }
    const nested = ids.slice(1).reduce((below, id) => [id, { status: 'missing' }, [below]], [ids[0], options, []])
    tree = merge.merge(tree, { pos: start - ids.length + 1, ids: nested }, limit).tree
  }
  return tree
}

/** The same shape for both: no status, everything sorted. */
function shapeOf (tree) {
  const shape = ([id, { deleted = false }, below]) => [id, below.length === 0 && deleted, below.map(shape).sort(byText)]
  return tree.map(({ pos, ids }) => [pos, shape(ids)]).sort(byText)
}

function byText (a, b) {
  return JSON.stringify(a) < JSON.stringify(b) ? -1 : 1
}

function cutShort ({ path, deleted }) {
  return fc.integer({ min: 1, max: path.ids.length })
    .map((length) => ({ path: { start: path.start, ids: path.ids.slice(0, length) }, deleted }))
}

/** `4-d,c`: newest first. */
function parsePath (text) {
  const ids = text.slice(text.indexOf('-') + 1).split(',')
  return { path: { start: Number(text.slice(0, text.indexOf('-'))), ids }, deleted: false }
}

/** Revisions, and what couch_key_tree makes of them; the trees are written as encode.js says. */
const CASES = [
  ['has a root for each history that shares nothing', ['1-a', '1-b', '2-c'], '2-c|,1-b|,1-a'],
  ['branches where histories part', ['2-b,a', '2-c,a', '3-d,b,a'], '3-d,b,a|,2-c^0'],
  ['is extended by a history that begins within it', ['3-c,b,a', '4-d,c'], '4-d,c,b,a'],
  ['is extended by a history that ends in its root', ['3-c,b', '4-d', '5-e,d,c'], '5-e,d,c,b'],
  ['has a conflict where revisions between are not known', ['2-b,a', '4-d'], '4-d|,2-b,a'],
  ['has no conflict any more once they are', ['2-b,a', '4-d', '4-d,c,b'], '4-d,c,b,a'],
  ['gives a root the ancestors that it lacked', ['3-c', '3-d', '4-e,c,b,a', '3-d,b'], '4-e,c,b,a|,3-d^0'],
  ['does not change by what is in it', ['3-c,b,a', '2-b,a', '2-b', '1-a', '3-c'], '3-c,b,a'],
  ['ignores conflicts beside the branch that is extended', ['2-b,a', '2-c,a', '3-d,c,a'], '3-d,c,a|,2-b^0']
]

describe('revision tree', function () {
  this.timeout(600_000)

  it('is the same in every order of arrival', () => {
    fc.assert(fc.property(shuffled(), ([some, others]) => {
      assert.equal(encodeTree(treeOf(some)), encodeTree(treeOf(others)))
      assert.equal(stateOf(some).tree, stateOf(others).tree)
      assert.equal(stateOf(some).deleted, stateOf(others).deleted)
    }), { numRuns: 500 })
  })

  it('is the same in every order where each arrives several times, with its history cut short anywhere', () => {
    const cut = histories().chain((edits) => fc.tuple(...[...edits, ...edits].map(cutShort)))
    const orders = cut.chain((edits) => fc.tuple(
      fc.shuffledSubarray(edits, { minLength: edits.length }), fc.shuffledSubarray(edits, { minLength: edits.length })
    ))
    fc.assert(fc.property(orders, ([some, others]) => {
      assert.equal(encodeTree(treeOf(some)), encodeTree(treeOf(others)))
      assert.equal(stateOf(some).tree, stateOf(others).tree)
      assert.equal(stateOf(some).tree, encodeTree(treeOf(some)))
    }), { numRuns: 500 })
  })

  it('keeps its leaves in every order where it is stemmed meanwhile, and only ancestors beside them', () => {
    fc.assert(fc.property(shuffled(), fc.integer({ min: 1, max: 5 }), ([edits], limit) => {
      const live = edits.map(({ path }) => ({ path, deleted: false }))
      const whole = treeOf(live)
      const leaves = leavesOf(whole).map(({ rev }) => rev)
      const record = stateOf(live, limit)
      const found = leavesOf(decodeTree(record.tree, record.deleted)).map(({ rev }) => rev)
      assert.equal(found[0], leaves[0])
      assert.deepEqual(leaves.filter((rev) => !found.includes(rev)), [])
      // As in CouchDB, a revision that was cut off and comes again is a conflict.
      assert.ok(found.every((rev) => whole.has(rev)))
    }), { numRuns: 500 })
  })

  it('is the same where all arrive in one commit', () => {
    fc.assert(fc.property(shuffled(), fc.integer({ min: 1, max: 6 }), ([edits], limit) => {
      const rest = edits.slice(2)
      const first = stateOf(edits.slice(0, 2), limit)
      const record = encodeDocument(first.deleted, 1, first.winner, first.rest, '\n{}')
      assert.equal(stateOfOneCommit(edits, limit), stateOf(edits, limit).tree)
      assert.equal(stateOfOneCommit(rest, limit, record), stateOf(edits, limit).tree)
    }), { numRuns: 1000 })
  })

  it('stays whole where histories contradict each other', () => {
    const path = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 5 })
      .chain((ids) => fc.record({ start: fc.integer({ min: ids.length, max: 6 }), ids: fc.constant(ids) }))
    const edits = fc.array(fc.record({ path, deleted: fc.boolean() }), { minLength: 1, maxLength: 12 })
    fc.assert(fc.property(edits, fc.integer({ min: 1, max: 6 }), (edits, limit) => {
      const record = stateOf(edits, limit)
      const tree = decodeTree(record.tree, record.deleted)
      assert.equal(encodeTree(tree), record.tree)
      assert.equal(winnerOfTree(tree).rev, record.rev)
      for (const node of tree.values()) {
        if (node.parent !== null) assert.equal(node.parent.generation, node.generation - 1)
      }
    }), { numRuns: 1000 })
  })

  for (const [what, paths, tree] of CASES) {
    it(what, () => assert.equal(stateOf(paths.map(parsePath)).tree, tree))
  }

  it('is what pouchdb-merge makes of it', () => {
    fc.assert(fc.property(shuffled(), ([edits]) => {
      const tree = treeOf(edits)
      const theirs = pouchTreeOf(edits)
      assert.deepEqual(shapeOf(pouchForm(tree, () => true)), shapeOf(theirs))
      assert.equal(winnerOfTree(tree).rev, merge.winningRev({ rev_tree: theirs }))
      assert.equal(winnerOfTree(tree).deleted, merge.isDeleted({ rev_tree: theirs }))
      const losers = leavesOf(tree).slice(1).filter(({ deleted }) => !deleted).map(({ rev }) => rev)
      assert.deepEqual(losers.sort(), merge.collectConflicts({ rev_tree: theirs }).sort())
    }), { numRuns: 500 })
  })

  it('makes the same of a linear history with its shortcut as without', () => {
    const chain = fc.tuple(fc.array(fc.boolean(), { minLength: 1, maxLength: 12 }), fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 6 }))
    fc.assert(fc.property(chain, ([marks, start, limit]) => {
      const edits = marks.map((deleted, i) => ({
        path: { start: start + i, ids: Array.from({ length: i + 1 }, (_, j) => `h${i - j}`) }, deleted
      }))
      const tree = new Map()
      for (const { path, deleted } of edits) {
        mergePath(tree, path, deleted)
        stem(tree, limit)
      }
      const record = stateOf(edits, limit)
      assert.equal(record.tree, encodeTree(tree))
      assert.equal(record.deleted, marks[marks.length - 1])
    }), { numRuns: 300 })
  })

  it('survives being stored', () => {
    const hash = fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => text.isWellFormed())
    fc.assert(fc.property(shuffled(), fc.array(hash, { minLength: 14, maxLength: 14 }), ([edits], names) => {
      const rename = (id) => id.split('.').map((part) => names[Number(part.replace('r', ''))] + part).join('.')
      const tree = treeOf(edits.map(({ path, deleted }) => ({ path: { start: path.start, ids: path.ids.map(rename) }, deleted })))
      const again = decodeTree(encodeTree(tree), winnerOfTree(tree).deleted)
      assert.deepEqual(pouchForm(again, () => true), pouchForm(tree, () => true))
      assert.equal(encodeTree(again), encodeTree(tree))
    }), { numRuns: 500 })
  })

  it('keeps exactly the ancestors within the limit of a leaf when it is stemmed', () => {
    fc.assert(fc.property(histories(), fc.integer({ min: 1, max: 4 }), (edits, limit) => {
      const tree = treeOf(edits)
      const leaves = leavesOf(tree)
      const expected = new Set()
      for (const leaf of leaves) for (let node = leaf, i = 0; node !== null && i < limit; node = node.parent, i++) expected.add(node.rev)
      const before = [...tree.keys()]
      const cut = stem(tree, limit)
      assert.deepEqual([...tree.keys()].sort(), [...expected].sort())
      assert.deepEqual([...cut, ...tree.keys()].sort(), before.sort())
      assert.ok([...tree.values()].every(({ parent }) => parent === null || tree.get(parent.rev) === parent))
      assert.deepEqual(leavesOf(tree).map(({ rev }) => rev), leaves.map(({ rev }) => rev))
    }), { numRuns: 500 })
  })

  it('has a winner that does not depend on how hashes compare in UTF-16', () => {
    const tree = treeOf(['\uff5e', '\u{1F98A}', 'a'].map((hash) => ({ path: { start: 1, ids: [hash] }, deleted: false })))
    assert.equal(winnerOfTree(tree).hash, '\u{1F98A}')
  })

  it('is cut from a hundred thousand revisions to a few in time that grows with them, and not with their square', () => {
    const rest = Array.from({ length: 100_000 }, (_, n) => `,${String(n).padStart(22, '0')}`).join('')
    const before = process.cpuUsage()
    const { rest: kept, cut } = stemLinear(rest, 100_001, 10)
    const { user, system } = process.cpuUsage(before)
    assert.equal(kept, rest.slice(0, 9 * 23))
    assert.deepEqual([cut.length, cut[0], cut.at(-1)], [99_991, `1-${String(99_999).padStart(22, '0')}`, `99991-${String(9).padStart(22, '0')}`])
    assert.ok(user + system < 3e6, `${(user + system) / 1000} ms of CPU`)
  })
})
