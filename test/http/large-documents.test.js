'use strict'

const assert = require('node:assert/strict')
const { TestDatabase } = require('./support/database')
const { request } = require('./support/request')

// Their text is put together piece by piece: see `large-json` in the document store.
describe('Large documents', function () {
  this.timeout(600_000)
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

  describe('that are stored', () => {
    const inner = { members, list: Array.from({ length: 30_000 }, (_, i) => ({ i })), digits: 0 }
    const text = `{"n":-1,"inner":${JSON.stringify(inner).replace('"digits":0', `"digits":${digits}`)},${JSON.stringify(members).slice(1)}`
    let rev

    beforeEach(async () => {
      await db.put('_design/functions', {
        validate_doc_update: 'function (doc, before) { if (doc.tells) throw { forbidden: JSON.stringify([before.m59999, Object.keys(before).length]) } }',
        filters: { f: 'function (doc) { return doc.n === -1 }' },
        shows: { s: 'function (doc) { return String(doc.inner.list.length) }' },
        updates: { u: 'function (doc) { doc.m0 = "changed"; return [doc, "done"] }' }
      })
      ;({ body: { rev } } = await db.put('stored', text))
    })

    const stored = async id => (await db.get(id, { headers: { Accept: 'text/plain' } })).text

    it('are found by what is in them', async () => {
      for (const selector of [{ n: -1 }, { n: -1, 'inner.list': { $elemMatch: { i: 29_999 } } }, { 'inner.members': { $keyMapMatch: { $eq: 'm59999' } } }]) {
        const { body: { docs } } = await db.post('_find', { selector })
        assert.deepEqual(docs.map(({ _id, m59999 }) => [_id, m59999]), [['stored', 59_999]])
      }
      assert.deepEqual((await db.post('_find', { selector: { n: -1, 'inner.list': { $allMatch: { i: { $lt: 29_999 } } } } })).body.docs, [])
      const { body: { docs: [shown] } } = await db.post('_find', { selector: { n: -1 }, fields: ['_id', 'm1', 'inner'] })
      assert.deepEqual(shown, { _id: 'stored', m1: 1, inner: { ...inner, digits: Number(digits) } })
      await db.post('_index', { index: { fields: ['n'] } })
      assert.equal((await db.post('_find', { selector: { n: { $lt: 0 } }, sort: ['n'] })).body.docs.length, 1)
    })

    it('are found by filters of changes, which show fields of them', async () => {
      const { text: answer } = await db.post('_changes?filter=_selector&include_docs=true', { selector: { n: -1 }, fields: ['_id', 'inner'] })
      assert.ok(answer.includes(digits))
      const { results: [{ doc }] } = JSON.parse(answer)
      assert.deepEqual(doc, { _id: 'stored', inner: { ...inner, digits: Number(digits) } })
      assert.deepEqual((await db.get('_changes?filter=functions/f')).body.results.map(({ id }) => id), ['stored'])
    })

    it('are shown by functions', async () => {
      assert.equal((await db.get('_design/functions/_show/s/stored')).text, '30000')
    })

    it('are copied as they came', async () => {
      const { status, body } = await request('COPY', db.path('stored'), { headers: { Destination: 'copy' } })
      assert.equal(status, 201)
      assert.equal(await stored('copy'), `{"_id":"copy","_rev":"${body.rev}",${text.slice(1)}\n`)
    })

    it('have attachments added and removed, and stay as they came', async () => {
      const { body } = await request('COPY', db.path('stored'), { headers: { Destination: 'attached' } })
      const put = await db.put(`attached/f?rev=${body.rev}`, 'content', { headers: { 'Content-Type': 'text/plain' } })
      assert.equal(put.status, 201)
      const removed = await db.remove(`attached/f?rev=${put.body.rev}`)
      assert.equal(removed.status, 200)
      assert.equal(await stored('attached'), `{"_id":"attached","_rev":"${removed.body.rev}",${text.slice(1)}\n`)
    })

    it('are seen whole by functions that validate their updates', async () => {
      const { status, body } = await db.put(`stored?rev=${rev}`, { tells: true })
      assert.deepEqual([status, JSON.parse(body.reason)], [403, [59_999, 60_005]])
    })

    it('are changed by update functions', async () => {
      assert.equal((await db.put('_design/functions/_update/u/stored', {})).status, 201)
      const { m0, m1, inner: { list } } = await read('stored')
      assert.deepEqual([m0, m1, list.length], ['changed', 1, 30_000])
    })
  })
})
