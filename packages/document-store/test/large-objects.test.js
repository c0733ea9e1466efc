'use strict'

const assert = require('node:assert/strict')
const fc = require('fast-check')
const { MemoryLevel } = require('memory-level')
const { DocumentStore, carriedText, chooseInTurns, copyInTurns, isLargeCopy, parseInTurns, parseLargeJson, stringifyInTurns, toEditable, toJson, toObject, toObjectInTurns } = require('..')

const digits = '12345678901234567890'
const items = (count, item) => Array.from({ length: count }, (_, i) => item(i)).join(',')

/** Bodies that are read in turns. */
const bodies = [
  `{${items(50_000, i => `"m${i}":${i}`)}}`,
  `{"a":[${items(70_000, i => i)}],"b":{"c":[[],[${items(70_000, i => `"é${i}"`)}],{},null,{"d":{${items(20_000, i => `"${i}":{"e":${i}}`)}}}]},"f":"${'x'.repeat(300_000)}"}`,
  `{"long":"${'x'.repeat(300_000)}","a":${digits},"list":[${items(30_000, i => i === 20_000 ? digits : i)}],"__proto__":{"b":1},"ü":"\\ud800"}`,
  `{"a":{${items(9, j => `"${j}":{${items(5000, i => `"m${i}":"${j}"`)}}`)}},"b":[${items(9, j => `[${items(5000, i => i * j)}]`)}],"z":"${'x'.repeat(300_000)}"}`
]

describe('large documents of a store', function () {
  this.timeout(600_000)
  const attachments = { f: { contentType: 'text/plain', revpos: 1, digest: 'md5-x', length: 1, encoding: 'gzip', encodedLength: 2 } }
  const documentOf = body => /** @type {any} */ ({ id: 'a', rev: '1-a', deleted: false, body, attachments, conflicts: ['1-b'] })

  it('are the same objects in turns', async () => {
    for (const body of bodies) {
      const read = toObjectInTurns(documentOf(body))
      assert.ok(read instanceof Promise)
      assert.deepEqual({ ...await read }, { ...JSON.parse(toJson(documentOf(body))) })
    }
    const small = toObjectInTurns(documentOf('{"a":1}'))
    assert.deepEqual(small, toObject(documentOf('{"a":1}')))
  })

  it('are copied with other members as a copy of the object is', async () => {
    const sent = [...bodies, `{"z":1,"20":"${'x'.repeat(300_000)}","3":{"f":1}}`]
    for (const body of sent.map(each => each.replace('\\ud800', '').replace('__proto__', 'proto'))) {
      const doc = await parseLargeJson(Buffer.from(`{"_id":"a","_deleted":false,${body.slice(1)}`), 0)
      assert.ok(isLargeCopy(doc))
      const copy = await copyInTurns(doc, name => name !== 'f' && name !== 'm7', { n: 1, o: [] })
      const { f, m7, ...rest } = JSON.parse(body)
      assert.equal(carriedText(copy)?.body, JSON.stringify({ ...rest, n: 1, o: [] }))
      assert.deepEqual({ ...copy }, { ...copy, _id: 'a', _deleted: false })
    }
    const text = `{"a":"${'x'.repeat(300_000)}","b":${digits},"c":1}`
    const exact = await copyInTurns(await parseLargeJson(Buffer.from(text), 0), () => true, { a: 2, d: 3 }, { exact: true })
    assert.equal(carriedText(exact)?.body, `{"a":2,"b":${digits},"c":1,"d":3}`)
    const doc = await parseLargeJson(Buffer.from(`{"f":"${'x'.repeat(300_000)}"}`), 0)
    assert.equal(carriedText(await copyInTurns(doc, name => name !== 'f', { n: 1 }))?.body, '{"n":1}')
    assert.equal(isLargeCopy({ a: 'x'.repeat(300_000) }), false)
  })

  it('are the same text in turns', async () => {
    for (const body of bodies) {
      assert.equal(await stringifyInTurns(JSON.parse(body)), JSON.stringify(JSON.parse(body)))
      assert.equal(await stringifyInTurns(await parseInTurns(body)), JSON.stringify(JSON.parse(body)))
    }
  })

  it('are the same text in turns, whatever they hold', async () => {
    const small = fc.jsonValue({ noUnicodeString: false })
    const list = fc.tuple(small, fc.constantFrom(0, 3, 5000)).map(([value, count]) => Array(count).fill(value))
    const value = fc.oneof(small, list, fc.dictionary(fc.string(), fc.oneof(small, list, fc.array(list, { maxLength: 3 }))))
    await fc.assert(fc.asyncProperty(value, async value => {
      assert.equal(await stringifyInTurns(value), JSON.stringify(value))
    }), { numRuns: 200 })
  })

  it('show what is chosen of them with its integers as they came', async () => {
    const chosen = await chooseInTurns(documentOf(bodies[2]), ({ _id, _attachments, a, list }) => ({ _id, _attachments, a, list }), { encodings: true })
    const expected = `{"_id":"a","_attachments":{"f":{"content_type":"text/plain","revpos":1,"digest":"md5-x","length":1,"stub":true,"encoding":"gzip","encoded_length":2}},"a":${digits},"list":[${items(30_000, i => i === 20_000 ? digits : i)}]}`
    assert.equal(chosen, expected)
    assert.equal(await chooseInTurns(documentOf(`{"a":${digits}}`), ({ _id, a }) => ({ _id, a })), `{"_id":"a","a":${digits}}`)
  })

  it('are written again as they were', async () => {
    const database = await DocumentStore.open(new MemoryLevel(), { prefix: 'db/' })
    for (const [i, body] of [...bodies.slice(0, 2), '{}', '{"a":1}'].entries()) {
      const { rev } = await database.put({ _id: `d${i}`, ...JSON.parse(body), _attachments: { f: { content_type: 'text/plain', data: 'aGVsbG8=' } } })
      const found = await database.get(`d${i}`)
      const second = await database.put(toEditable(found))
      assert.ok(second.rev !== rev)
      const third = await database.put(await toObjectInTurns(await database.get(`d${i}`), { exact: true }))
      const last = await database.get(`d${i}`)
      assert.deepEqual({ ...last, rev }, found)
      assert.equal(last.rev, third.rev)
    }
    await database.close()
  })
})
