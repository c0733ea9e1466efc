'use strict'

const assert = require('node:assert/strict')
const fc = require('fast-check')
const { Conditions } = require('../../lib/mango/plan/conditions')
const { compileNode } = require('../../lib/mango/selector/compile-selector')
const { normalizeSelector } = require('../../lib/mango/selector/normalize-selector')
const { mangoAccess } = require('../../lib/live/access')
const { IntervalTree } = require('../../lib/live/interval-tree')
const { ShapeTable } = require('../../lib/live/shape-table')
const arbitraries = require('../mango/arbitraries')

const numRuns = Number(process.env.TEST_RANDOM_RUNS ?? 60) * 10

/** A table with selectors as its queries. */
function tableOf (selectors) {
  const table = new ShapeTable()
  const removals = selectors.map(selector => {
    const node = normalizeSelector(selector)
    return table.add(selector, mangoAccess(node, new Conditions(node)))
  })
  const find = doc => {
    const found = new Set()
    table.collect(doc, found)
    return found
  }
  return { table, find, removals }
}

describe('a table of shapes', () => {
  it('misses no query that a document matches, whatever else is in it', () => {
    fc.assert(fc.property(fc.array(arbitraries.selector, { minLength: 1, maxLength: 30 }), fc.array(arbitraries.doc, { minLength: 1, maxLength: 10 }), fc.nat(), (selectors, docs, gone) => {
      const { table, find, removals } = tableOf(selectors)
      removals[gone % selectors.length]()
      for (const [i, doc] of docs.entries()) {
        const whole = { _id: 'aébk'[i % 4] + i, ...doc }
        const found = find(whole)
        for (const [at, selector] of selectors.entries()) {
          if (at === gone % selectors.length) assert.ok(!found.has(selector))
          else if (compileNode(normalizeSelector(selector))(whole)) assert.ok(found.has(selector), `${JSON.stringify(whole)} ${JSON.stringify(selector)}`)
        }
      }
      for (const [at, remove] of removals.entries()) if (at !== gone % selectors.length) remove()
      assert.equal(table.shapes, 0)
    }), { numRuns })
  })

  const cases = {
    'an equality': { of: i => ({ user: `user-${i}` }), doc: { user: 'user-7' }, found: [7] },
    'several equalities': { of: i => ({ type: 'task', 'owner.name': `user-${i}` }), doc: { type: 'task', owner: { name: 'user-9' } }, found: [9] },
    'a list of values': { of: i => ({ user: { $in: [`a-${i}`, `b-${i}`] } }), doc: { user: 'b-3' }, found: [3] },
    'an interval': { of: i => ({ price: { $gte: i * 10, $lt: i * 10 + 10 } }), doc: { price: 35 }, found: [3] },
    'an equality and a lower end': { of: i => ({ type: 'offer', price: { $gt: i } }), doc: { type: 'offer', price: 2.5 }, found: [0, 1, 2] },
    'an upper end': { of: i => ({ price: { $lte: i } }), doc: { price: 9997 }, found: [9997, 9998, 9999] },
    'a prefix': { of: i => ({ path: { $beginsWith: `/${i}/` } }), doc: { path: '/44/x' }, found: [44] },
    'an id': { of: i => ({ _id: `doc-${i}` }), doc: { _id: 'doc-12' }, found: [12] }
  }
  for (const [name, { of, doc, found }] of Object.entries(cases)) {
    it(`finds those of 10,000 queries with ${name} that say the same, and no others`, () => {
      const selectors = Array.from({ length: 10_000 }, (_, i) => of(i))
      const { table, find } = tableOf(selectors)
      assert.equal(table.shapes, 1)
      assert.deepEqual([...find(doc)].map(selector => selectors.indexOf(selector)).sort((a, b) => a - b), found)
      assert.deepEqual([...find({ other: 1 })], [])
    })
  }
})

describe('an interval tree', () => {
  it('finds what a plain look at all of them does', () => {
    const end = fc.constantFrom('', 'a', 'b', 'c', 'ca', 'd', 'e')
    const interval = fc.tuple(end, end)
    fc.assert(fc.property(fc.array(interval, { maxLength: 40 }), fc.array(fc.nat(), { maxLength: 20 }), fc.array(interval, { minLength: 1, maxLength: 10 }), (intervals, removals, asked) => {
      const tree = new IntervalTree()
      const all = new Map(intervals.map(([low, high], i) => [i, { low, high, branch: tree.add(low, high, i) }]))
      for (const removal of removals) {
        const key = [...all.keys()][removal % all.size]
        if (key === undefined) break
        tree.remove(all.get(key).branch)
        all.delete(key)
      }
      for (const [from, to] of asked) {
        const found = []
        tree.each(from, to, value => found.push(value))
        const expected = [...all].filter(([, { low, high }]) => low < to && high > from).map(([i]) => i)
        assert.deepEqual(found.sort((a, b) => a - b), expected)
      }
    }), { numRuns })
  })
})
