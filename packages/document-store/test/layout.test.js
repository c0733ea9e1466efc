'use strict'

const assert = require('node:assert/strict')
const fc = require('fast-check')
const { Layout, encodeNumber } = require('../lib/media/layout')
const { encodeChange, decodeChange } = require('../lib/media/record')
const { encodeRevision, decodeHash } = require('../lib/revision-tree/revision')
const { compareUtf8 } = require('../lib/json/utf8-order')

const text = fc.string({ unit: 'binary' }).filter((string) => string.isWellFormed())

describe('layout of keys', function () {
  this.timeout(600_000)

  it('orders numbers by value', () => {
    const number = fc.nat(Number.MAX_SAFE_INTEGER)
    fc.assert(fc.property(number, number, (a, b) => {
      assert.equal(Math.sign(compareUtf8(encodeNumber(a), encodeNumber(b))), Math.sign(a - b))
    }))
  })

  it('compares strings as their UTF-8 compares', () => {
    fc.assert(fc.property(text, text, (a, b) => {
      assert.equal(Math.sign(compareUtf8(a, b)), Buffer.compare(Buffer.from(a), Buffer.from(b)))
    }), { numRuns: 2000 })
    assert.ok(compareUtf8('\uffff', '\u{10000}') < 0)
  })

  it('gives every revision of every document a key of its own', () => {
    const layout = new Layout('p/')
    const rev = fc.tuple(fc.integer({ min: 1 }), text.filter((hash) => hash !== '')).map(([generation, hash]) => `${generation}-${hash}`)
    fc.assert(fc.property(text, rev, (id, revision) => {
      const found = layout.revisionOf(layout.revision(id, encodeRevision(revision)))
      assert.deepEqual([found.id, decodeHash(found.rev)], [id, revision])
    }), { numRuns: 1000 })
  })

  it('keeps the stores of a database apart', () => {
    const layout = new Layout('x')
    assert.deepEqual(layout.range(layout.sequences), { gte: 'xs', lt: 'xt' })
    assert.deepEqual(layout.all(), { gte: 'x', lt: 'y' })
    assert.deepEqual(new Layout('').all(), {})
    assert.equal(layout.sequenceOf(layout.sequence(1234)), 1234)
    assert.equal(layout.idOf(layout.document('é')), 'é')
  })

  it('reads back what a change says', () => {
    fc.assert(fc.property(text, fc.boolean(), fc.array(text.filter((hash) => hash !== ''), { minLength: 1 }), (id, deleted, hashes) => {
      const leaves = hashes.map((hash, i) => `${i + 1}-${hash}`)
      assert.deepEqual(decodeChange(encodeChange(deleted, leaves.map(encodeRevision), id)), { id, deleted, leaves })
    }), { numRuns: 1000 })
  })
})
