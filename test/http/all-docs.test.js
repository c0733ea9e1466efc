'use strict'

const assert = require('node:assert/strict')
const { TestDatabase } = require('./support/database')
const { assertRefused } = require('./support/refusal')
const { head } = require('./support/request')

const json = value => encodeURIComponent(JSON.stringify(value))

describe('_all_docs', () => {
  const db = new TestDatabase()
  const ids = rows => rows.map(({ id }) => id)

  beforeEach(async () => {
    await db.post('_bulk_docs', { docs: [...'cabed'].map(id => ({ _id: id, letter: id })) })
  })

  it('lists documents in order', async () => {
    const { status, body } = await db.get('_all_docs')
    assert.equal(status, 200)
    assert.equal(body.total_rows, 5)
    assert.equal(body.offset, 0)
    assert.deepEqual(ids(body.rows), [...'abcde'])
    const { id, key, value } = body.rows[0]
    assert.equal(id, 'a')
    assert.equal(key, 'a')
    assert.match(value.rev, /^1-[0-9a-f]{32}$/)
    assert.equal(body.rows[0].doc, undefined)
  })

  for (const [query, expected] of [
    ['descending=true', 'edcba'],
    [`startkey=${json('b')}&endkey=${json('d')}`, 'bcd'],
    [`start_key=${json('b')}&end_key=${json('d')}`, 'bcd'],
    [`startkey=${json('b')}&endkey=${json('d')}&inclusive_end=false`, 'bc'],
    [`descending=true&startkey=${json('d')}&endkey=${json('b')}`, 'dcb'],
    [`descending=true&startkey=${json('d')}&endkey=${json('b')}&inclusive_end=false`, 'dc'],
    [`key=${json('c')}`, 'c'],
    [`key=${json('zz')}`, ''],
    ['limit=2', 'ab'],
    ['limit=0', ''],
    ['skip=3', 'de'],
    ['skip=1&limit=2&descending=true', 'dc'],
    ['skip=99', ''],
    [`startkey=${json('bb')}`, 'cde'],
    [`endkey=${json('b\ufff0')}`, 'ab'],
    [`startkey=${json(null)}`, 'abcde']
  ]) {
    it(`with ${decodeURIComponent(query)} gives ${expected === '' ? 'nothing' : expected}`, async () => {
      const { status, body } = await db.get(`_all_docs?${query}`)
      assert.equal(status, 200)
      assert.deepEqual(ids(body.rows), [...expected])
      assert.equal(body.total_rows, 5)
      const asBody = Object.fromEntries([...new URLSearchParams(query)].map(([name, value]) => [name, JSON.parse(value)]))
      assert.deepEqual(ids((await db.post('_all_docs', asBody)).body.rows), [...expected])
    })
  }

  it('offset says how many rows come before, and follows what is written', async () => {
    const offset = async query => (await db.get(`_all_docs?${query}`)).body.offset
    const { body: [{ rev }] } = await db.post('_bulk_docs', { docs: Array.from({ length: 1000 }, (_, i) => ({ _id: `d${String(i).padStart(4, '0')}` })) })
    for (const [id, before] of [['a', 0], ['c', 2], ['d0500', 504], ['d0999', 1003], ['e', 1004], ['z', 1005]]) {
      assert.equal(await offset(`startkey=${json(id)}`), before, id)
      assert.equal(await offset(`key=${json(id)}&skip=1`), Math.min(before + 1, 1005), id)
    }
    assert.equal(await offset(`descending=true&startkey=${json('d0500')}`), 500)
    assert.equal((await db.remove(`d0000?rev=${rev}`)).status, 200)
    await db.put('ab', {})
    await db.put('d00005', {})
    for (const [id, before] of [['c', 3], ['d0500', 505], ['z', 1006]]) assert.equal(await offset(`startkey=${json(id)}`), before, id)
  })

  it('gives the documents with include_docs', async () => {
    const { body } = await db.get('_all_docs?include_docs=true')
    assert.deepEqual(body.rows.map(({ doc }) => doc.letter), [...'abcde'])
    assert.equal(body.rows[0].doc._rev, body.rows[0].value.rev)
  })

  it('gives conflicts and attachments with the documents', async () => {
    await db.replicate({ _id: 'x', _rev: '1-aa000000000000000000000000000000' }, { _id: 'x', _rev: '1-bb000000000000000000000000000000', _attachments: { a: { content_type: 'text/x-y', data: 'YQ==' } } })
    const { body } = await db.get(`_all_docs?include_docs=true&conflicts=true&attachments=true&key=${json('x')}`)
    assert.deepEqual(body.rows[0].doc._conflicts, ['1-aa000000000000000000000000000000'])
    assert.equal(body.rows[0].doc._attachments.a.data, 'YQ==')
  })

  it('gives the keys that it is asked for, in their order', async () => {
    const { body: { rows: [{ value: { rev } }] } } = await db.get(`_all_docs?key=${json('b')}`)
    await db.remove(`b?rev=${rev}`)
    const check = body => {
      assert.equal(body.total_rows, 4)
      assert.deepEqual(ids(body.rows), ['c', undefined, 'b', 'a', 'c'])
      assert.deepEqual(body.rows[1], { key: 'zz', error: 'not_found' })
      assert.equal(body.rows[2].value.deleted, true)
      assert.equal(body.rows[2].doc, null)
      assert.equal(body.rows[3].doc.letter, 'a')
    }
    const keys = ['c', 'zz', 'b', 'a', 'c']
    check((await db.post('_all_docs?include_docs=true', { keys })).body)
    check((await db.get(`_all_docs?include_docs=true&keys=${json(keys)}`)).body)
    check((await db.post('_all_docs', { keys, include_docs: true })).body)
  })

  it('leaves deleted documents out and design documents in', async () => {
    const { body: { rows: [{ value: { rev } }] } } = await db.get('_all_docs')
    await db.remove(`a?rev=${rev}`)
    await db.put('_design/x', {})
    const { body } = await db.get('_all_docs')
    assert.deepEqual(ids(body.rows), ['_design/x', ...'bcde'])
    assert.equal(body.total_rows, 5)
  })

  it('sorts by code point', async () => {
    const names = ['A', 'a', 'Z', 'z', '0', 'ä', '\uffee', '😀', 'aa']
    await db.post('_bulk_docs', { docs: names.map(name => ({ _id: `n${name}` })) })
    const { body } = await db.get(`_all_docs?startkey=${json('n')}`)
    const sorted = names.map(name => Buffer.from(`n${name}`)).sort(Buffer.compare).map(String)
    assert.deepEqual(ids(body.rows), sorted)
  })

  it('streams many rows, page after page', async () => {
    const docs = Array.from({ length: 2500 }, (_, n) => ({ _id: `x${String(n).padStart(5, '0')}`, filler: 'ü'.repeat(200) }))
    await db.post('_bulk_docs', { docs })
    const { body } = await db.get(`_all_docs?include_docs=true&startkey=${json('x')}`)
    assert.deepEqual(ids(body.rows), docs.map(({ _id }) => _id))
    assert.ok(body.rows.every(({ doc }) => doc.filler === docs[0].filler))
  })

  it('tells the sequence on request', async () => {
    const { body } = await db.get('_all_docs?update_seq=true&limit=0')
    const { body: { last_seq: lastSeq } } = await db.get('_changes?limit=99')
    assert.equal(String(body.update_seq).split('-')[0], String(lastSeq).split('-')[0])
  })

  it('HEAD has no body', async () => {
    const answer = await head(db.path('_all_docs'))
    assert.equal(answer.status, 200)
    assert.equal(answer.bytes.length, 0)
  })

  it('answers several queries at once', async () => {
    const { status, body } = await db.post('_all_docs/queries', { queries: [{ keys: ['b', 'x'] }, { limit: 1, descending: true }, {}] })
    assert.equal(status, 200)
    assert.deepEqual(body.results.map(({ rows }) => rows.map(({ key }) => key)), [['b', 'x'], ['e'], [...'abcde']])
    assertRefused(await db.post('_all_docs/queries', {}), 400, 'bad_request', 'POST body must include `queries` parameter.')
  })

  it('of the same parameter the last counts, and a key is both ends', async () => {
    assert.deepEqual(ids((await db.get(`_all_docs?key=${json('a')}&endkey=${json('c')}`)).body.rows), ['a', 'b', 'c'])
    assert.deepEqual(ids((await db.get(`_all_docs?endkey=${json('c')}&key=${json('a')}`)).body.rows), ['a'])
  })

  it('takes ids where there are no keys', async () => {
    assert.deepEqual(ids((await db.get('_all_docs?startkey_docid=b&endkey_docid=d&inclusive_end=false')).body.rows), ['b', 'c'])
  })

  it('has a row for each of its keys, also for those that are no ids', async () => {
    const { body } = await db.get(`_all_docs?keys=${json([1, 'a', {}])}`)
    assert.deepEqual(body.rows.map(({ key, error }) => [key, error]), [[1, 'not_found'], ['a', undefined], [{}, 'not_found']])
  })

  describe('refuses', () => {
    for (const query of ['limit=x', 'limit=-1', 'skip=1.5', 'descending=maybe', 'include_docs=1', 'inclusive_end=']) {
      it(query, async () => assertRefused(await db.get(`_all_docs?${query}`), 400, 'query_parse_error', /Invalid/))
    }
    for (const query of ['startkey=b', 'key={', 'keys=[', 'keys={}']) {
      it(query, async () => assertRefused(await db.get(`_all_docs?${query}`), 400, 'bad_request'))
    }
    it('keys in a body that are no array', async () => {
      assertRefused(await db.post('_all_docs', { keys: 'a' }), 400, 'bad_request', '`keys` body member must be an array.')
    })
    it('keys together with a range', async () => {
      for (const range of [{ key: 'a' }, { startkey: 'a' }, { end_key: 'b' }]) {
        assertRefused(await db.post('_all_docs', { keys: ['a', 'b'], ...range }), 400, 'query_parse_error', '`keys` is incompatible with `key`, `start_key` and `end_key`')
      }
      assertRefused(await db.get(`_all_docs?keys=${json(['a'])}&startkey=${json('b')}`), 400, 'query_parse_error', '`keys` is incompatible with `key`, `start_key` and `end_key`')
      assert.equal((await db.post('_all_docs', { keys: [], key: 'a' })).status, 200)
      assert.equal((await db.post('_all_docs', { key: 'a', keys: ['a'] })).status, 200)
    })
    it('a partition', async () => {
      assertRefused(await db.get('_all_docs?partition=p'), 400, 'query_parse_error', '`partition` parameter is not supported on this db')
      assertRefused(await db.post('_all_docs', { partition: { toString: 1 } }), 400, 'query_parse_error', '`partition` parameter is not supported on this db')
      assertRefused(await db.post('_all_docs', { partition: 'p' }), 400, 'query_parse_error', '`partition` parameter is not supported on this db')
      assertRefused(await db.get('_all_docs?partition=_p'), 400, 'illegal_partition', 'Partition must not start with an underscore')
    })
    it('what only a reduction can', async () => {
      assertRefused(await db.get('_all_docs?reduce=true'), 400, 'query_parse_error', 'Reduce is invalid for map-only views.')
      assertRefused(await db.get('_all_docs?group=true'), 400, 'query_parse_error', 'Invalid use of grouping on a map view.')
      assert.equal((await db.get('_all_docs?reduce=false&group=false&group_level=0')).status, 200)
    })
    it('a body that is no object', async () => {
      assertRefused(await db.post('_all_docs', []), 400, 'bad_request', 'Request body must be a JSON object')
    })
  })

  it('_design_docs lists design documents alone', async () => {
    for (const name of ['x', 'y', 'z']) await db.put(`_design/${name}`, {})
    const all = await db.get('_design_docs')
    assert.deepEqual(ids(all.body.rows), ['_design/x', '_design/y', '_design/z'])
    assert.equal(all.body.total_rows, 3)
    const some = await db.get(`_design_docs?descending=true&limit=2&include_docs=true&startkey=${json('_design/y')}`)
    assert.deepEqual(some.body.rows.map(({ doc }) => doc._id), ['_design/y', '_design/x'])
    assert.deepEqual(ids((await db.post('_design_docs', { keys: ['_design/z'] })).body.rows), ['_design/z'])
    const { body } = await db.post('_design_docs', { keys: ['a', '_design/none', '_design/y', 1] })
    assert.deepEqual(body.rows.map(({ key, error }) => [key, error]), [['_design/none', 'not_found'], ['_design/y', undefined]])
  })
})
