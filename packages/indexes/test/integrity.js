'use strict'

const assert = require('node:assert/strict')
const { collate } = require('pouchdb-collate')
const { toObject } = require('@potoroo/document-store')
const { RowLayout, encodeCount, rangeOf } = require('../lib/rows/row-layout')
const { partsOf } = require('../lib/update/row-commit')
const { parseList } = require('../lib/rows/row-list')
const { LEVELS, levelOf, parseSum } = require('../lib/sums/sum-node')

/**
 * Demands that what is stored of a database's indexes agrees: counts, rows, lists of rows, and sums.
 *
 * @param {import('@potoroo/document-store').DocumentStore} store
 */
async function assertIntegrity (store) {
  const { keyspace, prefix } = store.indexSpace
  const layout = new RowLayout(prefix)
  const all = (start) => keyspace.entries(rangeOf(start)).all()
  let rows = 0
  let lists = 0
  let parts = 0
  let sums = 0
  for (const [, text] of await all(layout.names)) {
    const { index, counts, external, active, seq, sums: salts = {} } = JSON.parse(text)
    const stored = await all(layout.rowsOf(index))
    const keys = stored.map(([key]) => key)
    const bytes = sizeOf(stored, layout.rowsOf(index))
    assert.deepEqual({ external, active }, { external: bytes, active: bytes + sizeOf(await all(layout.listsOf(index)), layout.listsOf(index)) + sizeOf(await all(layout.partsOf(index)), layout.partsOf(index)) })
    const listed = []
    for (const [key, list] of await all(layout.listsOf(index))) {
      lists++
      const id = key.slice(layout.listsOf(index).length)
      const count = partsOf(list)
      parts += count
      for (const each of count === 0 ? [list] : await Promise.all(Array.from({ length: count }, (_, part) => keyspace.get(layout.partOf(index, part, id))))) {
        for (const { row, more } of parseList(each)) listed.push(`${layout.rowsOf(index)}${row}${id}\0${more}`)
      }
    }
    assert.deepEqual(listed.sort(), [...keys].sort())
    assert.deepEqual(counts, counts.map((count, view) => keys.filter(key => key.startsWith(layout.rowsOf(index) + encodeCount(view))).length))
    assert.ok(seq <= store.updateSeq, 'an index is not ahead of its database')
    for (const [view, salt] of Object.entries(salts)) {
      const head = layout.rowsOf(index) + encodeCount(Number(view))
      const own = keys.filter(key => key.startsWith(head)).map(key => key.slice(head.length))
      assertSums(new Map(await all(layout.sumsOf(index) + encodeCount(Number(view)))), layout.sumsOf(index) + encodeCount(Number(view)), own, salt)
    }
    sums += (await all(layout.sumsOf(index))).length
    rows += keys.length
  }
  assert.equal((await all(layout.sums)).length, sums, 'sums without an index')
  assert.equal((await all(layout.rows)).length, rows, 'rows without an index')
  assert.equal((await all(layout.lists)).length, lists, 'lists without an index')
  assert.equal((await all(layout.parts)).length, parts, 'parts of lists without a list')
}

/** Bytes of records, without what all of their keys begin with. */
function sizeOf (entries, prefix) {
  return entries.reduce((sum, [key, text]) => sum + Buffer.byteLength(key.slice(prefix.length)) + Buffer.byteLength(text), 0)
}

/** There is a node for each segment, what it counts is right, and what is below one that is known is known, too. */
function assertSums (nodes, prefix, rows, salt) {
  let known = null
  const expected = []
  for (let level = 1; level <= LEVELS; level++) {
    const starts = ['', ...rows.filter(row => levelOf(row, salt) >= level)]
    expected.push(...starts.map(row => prefix + level + row))
    const sums = starts.map(row => parseSum(nodes.get(prefix + level + row) ?? ''))
    const countOf = (from, to) => rows.indexOf(to) - Math.max(rows.indexOf(from), 0)
    starts.forEach((from, i) => {
      if (sums[i] === undefined) return
      const count = i + 1 < starts.length ? countOf(from, starts[i + 1]) : rows.length - Math.max(rows.indexOf(from), 0)
      assert.equal(sums[i].count, count, `count of a node of level ${level}`)
    })
    known?.forEach((isKnown, row) => {
      const above = sums[starts.findLastIndex(start => start === '' || rows.indexOf(start) <= rows.indexOf(row))]
      assert.ok(isKnown || above === undefined, `a node of level ${level} is known, and one below it is not`)
    })
    known = new Map(starts.map((row, i) => [row, sums[i] !== undefined]))
  }
  assert.deepEqual([...nodes.keys()].sort(), expected.sort())
}

/**
 * The rows that a map function gives of all documents as they are.
 *
 * @param {import('@potoroo/document-store').DocumentStore} store
 * @param {(doc: any, emit: (key: any, value?: any) => void) => void} map
 */
async function expectedRows (store, map) {
  const found = []
  const { rows } = await store.allDocs({ includeDocs: true, conflicts: true })
  for await (const page of rows) {
    for (const { id, document } of /** @type {any[]} */ (page)) {
      if (!id.startsWith('_')) map(toObject(document), (key, value = null) => found.push({ id, key: key ?? null, value }))
    }
  }
  return found.sort((a, b) => collate(a.key, b.key) || collate(a.id, b.id) || collate(a.value, b.value))
}

module.exports = { assertIntegrity, expectedRows }
