'use strict'

const assert = require('node:assert')
const { spawnSync } = require('node:child_process')
const { once } = require('node:events')
const path = require('node:path')
const { Worker } = require('node:worker_threads')
const fc = require('fast-check')
const { collator, couchCollation } = require('..')
const { text, value } = require('./values')

const { compare, encode } = couchCollation
const intl = new Intl.Collator('en')
const runs = { numRuns: Number(process.env.COLLATION_RUNS ?? 5000) }

/** Each before the next, in both directions. */
function assertAscending (values) {
  for (let i = 0; i < values.length; i++) {
    for (let j = 0; j < values.length; j++) {
      assert.strictEqual(Math.sign(compare(values[i], values[j])), Math.sign(i - j), `${JSON.stringify(values[i])} and ${JSON.stringify(values[j])}`)
    }
  }
}

describe('couchCollation', function () {
  this.timeout(600_000)

  it('is ICU\'s root collation', () => {
    assert.match(couchCollation.name, /^couchdb-icu-\d+\.\d/)
    assert.strictEqual(collator.libraryVersion.split('.')[0], process.versions.icu.split('.')[0])
    assert.match(collator.collatorVersion, /^\d+\.\d+/)
  })

  // Intl.Collator normalises, which ICU does not unless told, nor CouchDB tells it.
  it('orders strings as Intl.Collator orders what is normalised', () => {
    fc.assert(fc.property(text, text, (a, b) => {
      const [x, y] = [a.normalize('NFD'), b.normalize('NFD')]
      assert.strictEqual(Math.sign(compare(x, y)), Math.sign(intl.compare(x, y)))
    }), runs)
  })

  it('orders as CouchDB\'s documentation says', () => {
    assertAscending([null, false, true, -2, -0.1, 0, 0.1, 1, 2, 3, 4, 'a', 'A', 'aa', 'b', 'B', 'ba', 'bb', '\uffff',
      ['a'], ['b'], ['b', 'c'], ['b', 'c', 'a'], ['b', 'd'], ['b', 'd', 'e'],
      {}, { a: 1 }, { a: 2 }, { b: 1 }, { b: 2 }, { b: 2, a: 1 }, { b: 2, c: 2 }])
    // ` and ^ come first in the documentation, as in the ICU of its time.
    assertAscending([...'_-,;:!?.\'"()[]{}@*/\\&#%`^+<=>|~$0123456789aAbBcCdDeEfFgGhHiIjJkKlLmMnNoOpPqQrRsStTuUvVwWxXyYzZ'])
    assertAscending(['abc', 'Abc', 'ABC', 'abc1', 'AbcZZZZZ'])
  })

  it('has every string between "" and U+FFFF', () => {
    fc.assert(fc.property(text, text => {
      assert.ok(compare('', text) <= 0)
      assert.ok(compare(text, '\uffff\uffff\uffff\uffff\uffff\uffff') < 0)
      assert.ok(compare(text, []) < 0)
    }), runs)
  })

  it('has every array below {}, and objects by their members', () => {
    fc.assert(fc.property(value, value, (a, b) => {
      assert.ok(compare([a], {}) < 0)
      assert.ok(compare({ x: a }, { x: a, y: b }) < 0)
      assert.strictEqual(Math.sign(compare({ x: a, y: 1 }, { x: b, y: 1 })) + 0, Math.sign(compare(a, b)) + 0)
    }), runs)
  })

  it('takes for equal what differs in ignorable characters alone', () => {
    for (const [a, b] of [['a', '\u200ba\u200c'], ['a', 'a\0'], ['', '\u200d'], [['a', 1], ['\0a', 1]]]) {
      assert.strictEqual(compare(a, b), 0)
      assert.strictEqual(encode(a), encode(b))
    }
  })

  it('is one for long strings', () => {
    for (const length of [510, 511, 512, 513, 1000, 100_000]) {
      const text = 'x'.repeat(length)
      assertAscending([text, text + 'x', text + 'y'])
      assert.ok(encode(text) < encode(text + 'x') && encode(text + 'x') < encode(text + 'y'))
    }
  })

  it('is the same in every locale', () => {
    // In Lithuanian y comes before j.
    const code = `process.stdout.write(String(require(${JSON.stringify(path.join(__dirname, '..'))}).couchCollation.compare('y', 'j')))`
    const { stdout } = spawnSync(process.execPath, ['-e', code], { env: { ...process.env, LC_ALL: 'lt_LT.UTF-8' }, encoding: 'utf8' })
    assert.strictEqual(stdout, '1')
  })

  it('is the same on another thread, and after that has ended', async () => {
    const code = `require('node:worker_threads').parentPort.postMessage(require(${JSON.stringify(path.join(__dirname, '..'))}).couchCollation.encode(['Ä', 1]))`
    const worker = new Worker(code, { eval: true })
    const [encoded] = await once(worker, 'message')
    await worker.terminate()
    assert.strictEqual(encoded, encode(['Ä', 1]))
  })

  it('compares values under one key as Erlang does', () => {
    const values = [1, false, null, true, {}, { a: 1 }, { a: 1, b: 0 }, { b: 0 }, [], [1], [1, 2], [2], '', 'B', 'a', 'é', '\ufffd', '𐀀']
    for (let i = 1; i < values.length; i++) assert.ok(couchCollation.compareValues(values[i - 1], values[i]) < 0)
  })
})
