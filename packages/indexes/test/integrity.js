'use strict'

const assert = require('node:assert/strict')
const { collate } = require('pouchdb-collate')
const { toObject } = require('@potoroo/document-store')
const { RowLayout, encodeCount, rangeOf } = require('../lib/rows/row-layout')
const { parseList } = require('../lib/rows/row-list')

/**
 * Demands that what is stored of a database's indexes agrees: counts, rows, and lists of rows.
 *
 * @param {import('@potoroo/document-store').DocumentStore} store
 */
async function assertIntegrity (store) {
  const { keyspace, prefix } = store.indexSpace
  const layout = new RowLayout(prefix)
  const all = (start) => keyspace.entries(rangeOf(start)).all()
  let rows = 0
  let lists = 0
  for (const [, text] of await all(layout.names)) {
    const { index, counts, seq } = JSON.parse(text)
    const keys = (await all(layout.rowsOf(index))).map(([key]) => key)
    const listed = []
    for (const [key, list] of await all(layout.listsOf(index))) {
      lists++
      const id = key.slice(layout.listsOf(index).length)
      for (const { row, more } of parseList(list)) listed.push(`${layout.rowsOf(index)}${row}${id}\0${more}`)
    }
    assert.deepEqual(listed.sort(), keys.sort())
    assert.deepEqual(counts, counts.map((count, view) => keys.filter(key => key.startsWith(layout.rowsOf(index) + encodeCount(view))).length))
    assert.ok(seq <= store.updateSeq, 'an index is not ahead of its database')
    rows += keys.length
  }
  assert.equal((await all(layout.rows)).length, rows, 'rows without an index')
  assert.equal((await all(layout.lists)).length, lists, 'lists without an index')
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
