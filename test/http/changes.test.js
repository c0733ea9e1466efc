'use strict'

const assert = require('node:assert/strict')
const { TestDatabase } = require('./support/database')
const { assertRefused } = require('./support/refusal')
const { head } = require('./support/request')

const A = 'aa000000000000000000000000000000'
const B = 'bb000000000000000000000000000000'
const json = value => encodeURIComponent(JSON.stringify(value))

describe('_changes', () => {
  const db = new TestDatabase()
  const ids = ({ body }) => body.results.map(({ id }) => id)
  const sequence = seq => encodeURIComponent(String(seq))

  it('of an empty database are none', async () => {
    const { status, body } = await db.get('_changes')
    assert.equal(status, 200)
    assert.deepEqual(body.results, [])
    assert.equal(String(body.last_seq).split('-')[0], '0')
    assert.equal(body.pending, 0)
  })

  it('list each document once, at its last change', async () => {
    const rev = await db.write('a')
    await db.write('b')
    const { body: { rev: second } } = await db.put('a', { _rev: rev })
    const { body } = await db.get('_changes')
    assert.deepEqual(body.results.map(({ id }) => id), ['b', 'a'])
    assert.deepEqual(body.results[1].changes, [{ rev: second }])
    assert.equal(body.results[1].seq, body.last_seq)
    assert.equal(body.results[1].deleted, undefined)
    assert.equal(body.pending, 0)
  })

  it('tell what was deleted', async () => {
    const rev = await db.write('a')
    const { body: { rev: tombstone } } = await db.remove(`a?rev=${rev}`)
    const { body } = await db.get('_changes?include_docs=true')
    const { deleted, changes, doc } = body.results[0]
    assert.equal(deleted, true)
    assert.deepEqual(changes, [{ rev: tombstone }])
    assert.deepEqual(doc, { _id: 'a', _rev: tombstone, _deleted: true })
  })

  describe('from a sequence on', () => {
    beforeEach(async () => { for (const id of 'abcde') await db.write(id, { id }) })

    it('give what came after it', async () => {
      const { body } = await db.get('_changes?limit=2')
      assert.deepEqual(body.results.map(({ id }) => id), ['a', 'b'])
      assert.equal(body.last_seq, body.results[1].seq)
      assert.equal(body.pending, 3)
      const rest = await db.get(`_changes?since=${sequence(body.last_seq)}`)
      assert.deepEqual(ids(rest), ['c', 'd', 'e'])
      assert.equal(rest.body.pending, 0)
      assert.deepEqual(ids(await db.get(`_changes?since=${sequence(rest.body.last_seq)}`)), [])
    })

    it('give nothing since now', async () => {
      const { body } = await db.get('_changes?since=now')
      assert.deepEqual(body.results, [])
      assert.equal(String(body.last_seq).split('-')[0], '5')
    })

    it('come backwards with descending', async () => {
      assert.deepEqual(ids(await db.get('_changes?descending=true')), [...'edcba'])
      assert.deepEqual(ids(await db.get('_changes?descending=true&limit=2')), [...'ed'])
    })

    it('come with documents', async () => {
      const { body } = await db.get('_changes?include_docs=true')
      assert.deepEqual(body.results.map(({ doc }) => doc.id), [...'abcde'])
      assert.ok(body.results.every(({ doc, changes }) => doc._rev === changes[0].rev))
    })

    it('leave sequences out with seq_interval', async () => {
      const { body } = await db.get('_changes?seq_interval=2')
      assert.deepEqual(body.results.map(({ seq }) => seq === null), [false, true, false, true, false])
      const limited = await db.get('_changes?seq_interval=2&limit=3')
      assert.deepEqual(limited.body.results.map(({ seq }) => seq === null), [true, false, true])
      assert.equal(typeof limited.body.last_seq, 'string')
    })

    it('filter by ids', async () => {
      for (const answer of [
        await db.post('_changes?filter=_doc_ids', { doc_ids: ['d', 'b', 'x'] }),
        await db.get(`_changes?filter=_doc_ids&doc_ids=${json(['b', 'd'])}`)
      ]) {
        assert.deepEqual(ids(answer), ['b', 'd'])
        assert.equal(String(answer.body.last_seq).split('-')[0], '5')
      }
      assertRefused(await db.get('_changes?filter=_doc_ids'), 400, 'bad_request', '`doc_ids` filter parameter is not a list of doc ids.')
      assertRefused(await db.post('_changes?filter=_doc_ids', { doc_ids: [5] }), 400, 'bad_request', '`doc_ids` filter parameter is not a list of doc ids.')
    })

    it('filter by a selector', async () => {
      const answer = await db.post('_changes?filter=_selector', { selector: { id: { $gt: 'c' } } })
      assert.deepEqual(ids(answer), ['d', 'e'])
      assert.equal(answer.body.results[0].doc, undefined)
      const withDocs = await db.post('_changes?filter=_selector&include_docs=true', { selector: { _id: 'c' } })
      assert.deepEqual(withDocs.body.results.map(({ doc }) => doc.id), ['c'])
      assertRefused(await db.get('_changes?filter=_selector'), 400, 'bad_request', 'Selector must be specified in POST payload')
      for (const selector of ['foo', null, [], 1]) {
        assertRefused(await db.post('_changes?filter=_selector', { selector }), 400, 'bad_request', 'Selector error: expected a JSON object')
      }
      const { status, body } = await db.post('_changes?filter=_selector', { selector: { id: { $foo: 1 } } })
      assert.deepEqual([status, body.error], [400, 'bad_request'])
    })

    it('show some fields of what a selector finds', async () => {
      const docs = async fields => (await db.post('_changes?filter=_selector&include_docs=true', { selector: { id: { $gt: 'd' } }, fields })).body.results.map(({ doc }) => doc)
      assert.deepEqual(await docs(['id', 'missing']), [{ id: 'e' }])
      assert.deepEqual(Object.keys((await docs([]))[0]).sort(), Object.keys((await docs(undefined))[0]).sort())
      for (const [fields, reason] of [[1, 'Selector error: fields must be JSON array'], [[1], 'Invalid JSON for field spec: 1']]) {
        assertRefused(await db.post('_changes?filter=_selector', { selector: {}, fields }), 400, 'bad_request', reason)
      }
    })

    it('filter by a design document\'s functions', async () => {
      await db.put('_design/d', {
        filters: { some: 'function (doc, req) { return doc.id === req.query.wanted || doc.id === "e" }' },
        views: { v: { map: 'function (doc) { if (doc.id > "c") emit(doc.id) }' } }
      })
      assert.deepEqual(ids(await db.get('_changes?filter=d/some&wanted=b')), ['b', 'e'])
      assert.deepEqual(ids(await db.get('_changes?filter=_view&view=d/v')), ['d', 'e'])
      assert.deepEqual(ids(await db.get('_changes?filter=_design')), ['_design/d'])
      assert.equal((await db.get('_changes?filter=d/none')).status, 404)
      assert.equal((await db.get('_changes?filter=none/some')).status, 404)
    })

    it('take a body that says nothing', async () => {
      assert.deepEqual(ids(await db.post('_changes', {})), [...'abcde'])
    })
  })

  it('with style=all_docs filter every leaf by itself', async () => {
    await db.replicate({ _id: 'f', _rev: '1-a', n: 1 }, { _id: 'f', _rev: '1-b', n: 2 }, { _id: 'f', _rev: '1-c', n: 3 })
    await db.put('_design/f', {
      filters: { odd: 'function (doc) { return doc.n % 2 === 1 }' },
      views: { odd: { map: 'function (doc) { if (doc.n % 2 === 1) emit(null) }' } }
    })
    const revs = async (query, body) => {
      const answer = await db.post(`_changes?style=all_docs&filter=${query}`, body ?? {})
      return answer.body.results.filter(({ id }) => id === 'f').map(({ changes }) => changes.map(({ rev }) => rev))
    }
    assert.deepEqual(await revs('f/odd'), [['1-c', '1-a']])
    assert.deepEqual(await revs('_view&view=f/odd'), [['1-c', '1-a']])
    assert.deepEqual(await revs('_selector', { selector: { n: { $lt: 3 } } }), [['1-b', '1-a']])
    assert.deepEqual(await revs('_selector', { selector: { n: 4 } }), [])
  })

  it('tell the winner, or with style=all_docs all leaves', async () => {
    await db.replicate({ _id: 'd', _rev: `1-${A}` }, { _id: 'd', _rev: `1-${B}` }, { _id: 'd', _revisions: { start: 2, ids: [A, B] }, _deleted: true })
    const { body } = await db.get('_changes')
    assert.deepEqual(body.results[0].changes, [{ rev: `1-${A}` }])
    const all = await db.get('_changes?style=all_docs')
    assert.deepEqual(all.body.results[0].changes.map(({ rev }) => rev), [`1-${A}`, `2-${A}`])
    assert.equal(all.body.results[0].deleted, undefined)
  })

  it('bring conflicts and attachments with the documents', async () => {
    await db.replicate({ _id: 'd', _rev: `1-${A}` }, { _id: 'd', _rev: `1-${B}`, _attachments: { a: { content_type: 'text/x-y', data: 'YQ==' } } })
    const { body } = await db.get('_changes?include_docs=true&conflicts=true&attachments=true')
    assert.deepEqual(body.results[0].doc._conflicts, [`1-${A}`])
    assert.equal(body.results[0].doc._attachments.a.data, 'YQ==')
    const stubs = await db.get('_changes?include_docs=true')
    assert.equal(stubs.body.results[0].doc._attachments.a.stub, true)
    assert.equal(stubs.body.results[0].doc._conflicts, undefined)
  })

  it('stream many rows', async () => {
    const docs = Array.from({ length: 5000 }, (_, n) => ({ _id: `d${n}` }))
    await db.post('_bulk_docs', { docs })
    const { body } = await db.get('_changes')
    assert.equal(body.results.length, 5000)
    assert.equal(new Set(body.results.map(({ id }) => id)).size, 5000)
  })

  it('answer 304 to who has them already', async () => {
    await db.write('a')
    const { headers } = await db.get('_changes')
    const etag = headers.get('etag')
    assert.notEqual(etag, null)
    assert.equal((await db.get('_changes', { headers: { 'If-None-Match': etag } })).status, 304)
    await db.write('b')
    assert.equal((await db.get('_changes', { headers: { 'If-None-Match': etag } })).status, 200)
  })

  it('HEAD has no body', async () => {
    const answer = await head(db.path('_changes'))
    assert.equal(answer.status, 200)
    assert.equal(answer.bytes.length, 0)
  })

  describe('refuse', () => {
    for (const [query, reason] of [
      ['feed=forever', 'Supported `feed` types: normal, continuous, live, longpoll, eventsource'],
      ['limit=x', 'The limit parameter should be a non-negative integer'],
      ['limit=-1', 'The limit value should be a non-negative integer'],
      ['timeout=soon', 'The timeout parameter should be a non-negative integer'],
      ['heartbeat=0', 'The heartbeat value should be a positive integer (in milliseconds).'],
      ['heartbeat=x', 'Invalid heartbeat value. Expecting a positive integer value (in milliseconds).'],
      ['seq_interval=0', 'invalid_seq_interval'],
      ['filter=_none', 'unknown builtin filter name'],
      ['filter=_view', '`view` filter parameter is not provided.'],
      ['filter=f', '`filter` must be of the form `designname/filtername`'],
      ['filter=d/f/g', '`filter` must be of the form `designname/filtername`'],
      ['since=yesterday', undefined],
      ...['5', '-1', '5-x', '5-', '"0"', '[]'].map(since => [`since=${encodeURIComponent(since)}`, 'Malformed sequence supplied in \'since\' parameter.'])
    ]) {
      it(query, async () => assertRefused(await db.get(`_changes?${query}`), 400, 'bad_request', reason))
    }

    it('a body that is no object', async () => {
      assertRefused(await db.post('_changes', []), 400, 'bad_request', 'Request body must be a JSON object')
    })
  })
})
