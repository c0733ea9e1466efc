'use strict'

const assert = require('node:assert/strict')
const { TestDatabase } = require('./support/database')

// Their text is put together piece by piece: see server/lib/json.
describe('Large documents', function () {
  this.timeout(60_000)
  const db = new TestDatabase()

  /** With members that are special here and there. */
  const members = Object.fromEntries(Array.from({ length: 60_000 }, (_, i) => [`m${i}`, i]))
  const digits = '12345678901234567890'

  /** The stored document, as text. */
  const read = async id => (await db.get(id, { headers: { Accept: 'application/json' } })).body

  const ways = {
    'PUT /{db}/{doc}': async (id, text) => (await db.put(id, text)),
    'POST /{db}': async (id, text) => (await db.post('', `{"_id":"${id}",${text.slice(1)}`)),
    'POST /{db}/_bulk_docs': async (id, text) => {
      const { status, body } = await db.post('_bulk_docs', `{"docs":[{"_id":"other ${id}"},{"_id":"${id}",${text.slice(1)}]}`)
      return { status, body: body[1] ?? body }
    }
  }

  for (const [way, send] of Object.entries(ways)) {
    const id = way.replace(/\W/g, '')

    it(`are kept as they came, by ${way}`, async () => {
      const text = `{"first":1,${JSON.stringify(members).slice(1, -1)},"inner":${JSON.stringify({ _id: 'x', members })}}`
      const { status, body: { rev } } = await send(id, text)
      assert.equal(status, 201)
      assert.deepEqual(await read(id), { _id: id, _rev: rev, ...JSON.parse(text) })
      const next = await send(id, `{"_rev":"${rev}",${text.slice(1)}`)
      assert.equal(next.status, 201)
      assert.match(next.body.rev, /^2-/)
    })

    it(`have the last of members with one name, by ${way}`, async () => {
      const text = `{"m1":"first",${JSON.stringify(members).slice(1, -1)},"m1":"last","m2":[${digits}]}`
      assert.equal((await send(`${id}r`, text)).status, 201)
      const { _id, _rev, ...found } = await read(`${id}r`)
      assert.deepEqual(found, { ...members, m1: 'last', m2: [Number(digits)] })
    })

    it(`have attachments, by ${way}`, async () => {
      const attachments = { f: { content_type: 'text/plain', data: Buffer.from('content').toString('base64') } }
      assert.equal((await send(`${id}a`, JSON.stringify({ ...members, _attachments: attachments }))).status, 201)
      const { _attachments: { f: { length } }, m59999: last } = await read(`${id}a`)
      assert.deepEqual([length, last], [7, 59_999])
    })

    it(`are refused with special members that nobody knows, by ${way}`, async () => {
      const { body } = await send(`${id}s`, JSON.stringify({ ...members, _odd: 1 }))
      assert.deepEqual([body.error, body.reason], ['doc_validation', 'Bad special document member: _odd'])
    })

    it(`are refused above the limit, by ${way}`, async () => {
      const { status, body } = await send(`${id}l`, JSON.stringify({ ...members, long: Array(9000).fill('x'.repeat(1000)) }))
      assert.deepEqual([status, body.error], [413, 'document_too_large'])
    })
  }

  it('are seen whole by the functions that they are validated with, which see no content of attachments', async () => {
    const validate = function (doc, before, userCtx) {
      const seen = [doc._id, doc.m59999, Object.keys(doc).length, doc._attachments && doc._attachments.f.stub, before && before.n, userCtx.db]
      if (doc.refused) throw { forbidden: JSON.stringify(seen) } // eslint-disable-line no-throw-literal
    }
    await db.put('_design/validate', { validate_doc_update: `${validate}` })
    const attachments = { f: { content_type: 'text/plain', data: 'aGVsbG8=' } }
    const { body: { rev } } = await db.put('seen', { n: 1 })
    const refused = JSON.stringify({ ...members, refused: true, filler: 'x'.repeat(10_000), _attachments: attachments })
    const { status, body } = await db.put(`seen?rev=${rev}`, refused)
    assert.deepEqual([status, JSON.parse(body.reason)], [403, ['seen', 59_999, 60_006, true, 1, db.name]])
    const { body: [row] } = await db.post('_bulk_docs', `{"docs":[${refused}]}`)
    assert.deepEqual([row.error, JSON.parse(row.reason).slice(1, 4)], ['forbidden', [59_999, 60_004, true]])
    assert.equal((await db.post('', JSON.stringify({ ...members, filler: 'x' }))).status, 201)
  })
})
