'use strict'

const assert = require('node:assert/strict')
const fc = require('fast-check')
const { MemoryLevel } = require('memory-level')
const { DocumentStore } = require('@potoroo/document-store')
const { Mango } = require('../..')

const vector = fc.array(fc.integer({ min: -5, max: 5 }), { minLength: 2, maxLength: 2 })
const field = fc.option(fc.oneof({ weight: 8, arbitrary: vector }, fc.constantFrom(7, 'x', [1], [1, '2'], [])), { nil: undefined, freq: 6 })
const change = fc.record({ id: fc.integer({ min: 0, max: 15 }).map(n => `d${n}`), v: field, even: fc.boolean(), gone: fc.boolean() })
const step = fc.oneof({ weight: 5, arbitrary: fc.record({ changes: fc.uniqueArray(change, { maxLength: 8, selector: ({ id }) => id }) }) }, fc.record({ near: vector }), fc.constant({ reopen: true }))

/** The square of it: equal distances are equal numbers. @param {number[]} left @param {number[]} right */
function distance (left, right) { return (left[0] - right[0]) ** 2 + (left[1] - right[1]) ** 2 }

describe('finds near a vector', () => {
  it('give what a look at each document gives, after any changes and openings', async () => {
    await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 25 }), vector, async (steps, last) => {
      const level = new MemoryLevel()
      let database = await DocumentStore.open(level, { prefix: 'db/' })
      let mango = new Mango()
      await mango.create(database, { type: 'vector', index: { fields: [{ v: { type: 'vector', dimensions: 2, metric: 'l2' } }] } })
      /** @type {Map<string, any>} */
      const docs = new Map()
      for (const each of [...steps, { near: last }]) {
        if ('changes' in each) await write(database, docs, each.changes)
        else if ('near' in each) await compare(mango, database, docs, each.near)
        else {
          await database.close()
          database = await DocumentStore.open(level, { prefix: 'db/' })
          mango = new Mango()
        }
      }
      await database.close()
    }), { numRuns: 100 })
  })

  async function write (database, docs, changes) {
    for (const { id, v, even, gone } of changes) {
      const before = docs.get(id)
      const doc = { _id: id, v, even, ...(before && { _rev: before._rev }), ...(gone && { _deleted: true }) }
      if (gone && before === undefined) continue
      const { rev } = await database.put(doc)
      if (gone) docs.delete(id)
      else docs.set(id, { ...doc, _rev: rev })
    }
  }

  async function compare (mango, database, docs, near) {
    const isVector = v => Array.isArray(v) && v.length === 2 && v.every(Number.isFinite)
    for (const [selector, accepts] of [[{}, () => true], [{ even: true }, doc => doc.even]]) {
      const wanted = [...docs.values()].filter(doc => isVector(doc.v) && accepts(doc)).map(({ v }) => distance(v, near)).sort((left, right) => left - right).slice(0, 4)
      const { docs: found } = await mango.find(database, { vector: { field: 'v', near, k: 4 }, selector })
      assert.deepEqual(found.map(({ v }) => distance(v, near)), wanted)
      for (const doc of found) assert.ok(accepts(doc) && docs.get(doc._id)._rev === doc._rev)
    }
  }
})
