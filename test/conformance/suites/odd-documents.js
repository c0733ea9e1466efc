'use strict'

const assert = require('node:assert/strict')
const fc = require('fast-check')
const { parseExact, toJson, toObject } = require('@potoroo/document-store')
const { collect, numbered } = require('../pages')

const nested = (levels) => JSON.parse('['.repeat(levels) + ']'.repeat(levels))

/** Any JSON value, in names too. */
const json = fc.letrec((tie) => ({
  name: fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('constructor', 'toString', '', '\ud800', '\n', '\0')),
  value: fc.oneof({ depthSize: 'small' }, fc.string({ unit: 'binary' }), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean(),
    fc.constant(null), fc.constantFrom('\ud800', '\udfffx', '\n'), fc.array(tie('value')), fc.dictionary(tie('name'), tie('value'), { noNullPrototype: true }))
}))

module.exports = (context) => describe('odd documents', () => {
  const body = fc.dictionary(json.name.filter((name) => !name.startsWith('_')), json.value, { noNullPrototype: true })

  it('come back as they went in', async () => {
    let count = 0
    await fc.assert(fc.asyncProperty(body, body, async (first, second) => {
      const { store } = context
      const _id = `d${count++}`
      const { rev } = await store.put({ ...first, _id })
      const [{ rev: next }] = await store.write([{ ...second, _id, _rev: rev, _deleted: true }])
      const { rev: local } = await store.putLocal({ ...first, _id: `_local/${_id}` })
      const text = JSON.stringify(first)
      assert.equal((await store.get(_id, { rev })).body, text)
      assert.equal((await store.get(_id, { rev: next })).body, JSON.stringify(second))
      assert.deepEqual(await store.getLocal(`_local/${_id}`), { id: `_local/${_id}`, rev: local, body: text })
      assert.equal(JSON.stringify(JSON.parse(toJson(await store.get(_id, { rev })))), JSON.stringify(toObject(await store.get(_id, { rev }))))
    }), { numRuns: 60 })
  })

  it('may have any id, and each is another', async () => {
    const { store } = context
    const id = fc.oneof(fc.string({ unit: 'binary', minLength: 1 }), fc.constantFrom('\0', 'a\0', 'a\0\0', 'a!b', 'a\x01', 'a', '\uffff', '\u{10ffff}', 'constructor', 'toString', 'é', 'e\u0301'))
    const ids = new Set()
    await fc.assert(fc.asyncProperty(fc.uniqueArray(id.filter((text) => text.isWellFormed() && !text.startsWith('_')), { minLength: 1 }), async (some) => {
      const fresh = some.filter((each) => !ids.has(each))
      for (const each of fresh) ids.add(each)
      const results = await store.write(fresh.map((_id) => ({ _id, id: _id })))
      assert.ok(results.every(({ ok }) => ok))
      for (const each of some) {
        assert.deepEqual(JSON.parse((await store.get(each)).body), { id: each })
        // A conflict has a key of its own, whatever is in the id.
        await store.write([{ _id: each, _rev: '1-!', _deleted: true }], { newEdits: false })
      }
    }), { numRuns: 40 })
    const rows = await collect((await store.allDocs()).rows)
    const sorted = [...ids].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    assert.deepEqual(rows.map((row) => row.id), sorted)
    assert.deepEqual(new Set((await collect(store.changes())).map((change) => change.id)), ids)
  })

  it('may be large, and have many members', async () => {
    const { store } = context
    const members = Object.fromEntries(Array.from({ length: 100000 }, (_, i) => [`m${i}`, i]))
    await store.write([{ _id: 'many', ...members }, { _id: 'large', text: 'é'.repeat(16e6) }])
    assert.deepEqual(JSON.parse((await store.get('many')).body), members)
    assert.equal(JSON.parse((await store.get('large')).body).text.length, 16e6)
    assert.equal((await collect(store.changes({ includeDocs: true }))).length, 2)
  })

  it('keep integers of any size where they were parsed for that', async () => {
    const { store } = context
    const text = '{"a":[9007199254740993,-123456789012345678901234567890],"b":"9007199254740993"}'
    await store.put(parseExact(text.replace('{', '{"_id":"d",')))
    assert.equal((await store.get('d')).body, text)
    assert.throws(() => parseExact('{"a":1e400}'), SyntaxError)
  })

  it('are refused where they are no JSON, and nothing else of the write is', async () => {
    const { store } = context
    const cyclic = {}
    cyclic.cyclic = cyclic
    const bad = [{ a: nested(100000) }, { a: cyclic }, { a: 1n }, { a: { toJSON () { throw new Error('no') } } },
      { get a () { throw new Error('no') } }, { get a () { throw new Error('no') }, _deleted: true }]
    const results = await store.write([...bad, { _id: 'good' }])
    results.slice(0, bad.length).forEach((result, i) => {
      assert.deepEqual([result.code, result.status, result.reason], ['BAD_REQUEST', 400, i === 0 ? 'JSON is nested too deeply' : 'Document must be valid JSON'])
    })
    assert.equal(results.at(-1).ok, true)
    assert.equal((await store.info()).docCount, 1)
  })

  it('are refused as a whole where the application throws, and nothing is written', async () => {
    const { store } = context
    const bad = new Proxy({}, { ownKeys () { throw new TypeError('mine') } })
    await assert.rejects(store.write([...numbered(3), bad]), TypeError)
    assert.equal((await store.info()).docCount, 0)
  })

  it('are what JSON makes of their values', async () => {
    const { store } = context
    class Point { constructor () { this.x = 1 } }
    const sparse = [1, , 3] // eslint-disable-line no-sparse-arrays
    await store.put({
      _id: 'd',
      date: new Date(0),
      none: undefined,
      list: [undefined, () => {}, NaN, Infinity],
      point: new Point(),
      sparse,
      [Symbol('s')]: 1,
      symbol: Symbol('s'),
      own: { toJSON: () => 'own' },
      zero: -0,
      proxy: new Proxy({ p: 1 }, {}),
      toJSON: () => 5
    })
    assert.deepEqual(JSON.parse((await store.get('d')).body), {
      date: '1970-01-01T00:00:00.000Z', list: [null, null, null, null], point: { x: 1 }, sparse: [1, null, 3], own: 'own', zero: 0, proxy: { p: 1 }
    })
  })
})
