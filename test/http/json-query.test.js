'use strict'

const assert = require('node:assert/strict')
const { AccessDatabase } = require('./support/access-database')
const { TestDatabase } = require('./support/database')
const { assertRefused } = require('./support/refusal')
const { NOBODY, TestUsers } = require('./support/users')
const { get } = require('./support/request')

const sharded = Number(process.env.TEST_SHARDS ?? 1) > 1

describe('JSONQuery', () => {
  // No other server has it.
  before(async function () { if ((await get('/')).body.vendor.name !== 'Potoroo') this.skip() })

  const db = new TestDatabase()
  const users = new TestUsers()
  const path = (query, more = '') => `_query?q=${encodeURIComponent(query)}${more}`
  const write = docs => db.post('_bulk_docs', { docs })
  const books = [{ _id: 'a', title: 'Moby Dick', price: 9 }, { _id: 'b', title: 'Sayings', price: 8.5 }, { _id: 'c', title: 'Honour', price: 13, parts: [{ n: 1 }, { n: 2 }] }]

  describe('over all documents', () => {
    before(function () { if (sharded) this.skip() })
    beforeEach(() => write([...books, { _id: '_design/d', title: 'No book', price: 1 }]))

    it('filters, sorts, cuts and maps', async () => {
      const { status, body, headers } = await db.get(path('[?price<10][/price][=title][0:9]'))
      assert.deepEqual([status, body, headers.get('content-type')], [200, ['Sayings', 'Moby Dick'], 'application/json'])
      assert.deepEqual((await db.post('_query', { q: '[?price<$1][=_id]', args: [9] })).body, ['b'])
      assert.deepEqual((await db.get(path('[?title=$1][=_id]', `&args=${encodeURIComponent('["Honour"]')}`))).body, ['c'])
      assert.deepEqual((await db.get(path('$..n'))).body, [1, 2])
      assert.deepEqual((await db.get(path('$.length'))).body, 3)
      assert.equal((await db.get(path('[5].title'))).text, 'null\n')
    })

    it('gives documents as they are', async () => {
      const { body } = await db.get('a')
      assert.deepEqual((await db.get(path('[0]'))).body, body)
      const text = '{"_id":"n","n":12345678901234567890}'
      assert.equal((await db.post('', text, { headers: { 'Content-Type': 'application/json' } })).status, 201)
      assert.match((await db.get(path('[?_id="n"]'))).text, /"n":12345678901234567890}]\n$/)
    })

    it('tells how it is carried out', async () => {
      await db.post('_index', { index: { fields: ['price'] }, ddoc: 'price', name: 'price' })
      const { finds: [{ find, index, steps }] } = (await db.get(path('[?price<10][/price][0:9][=title]', '&explain=true'))).body
      assert.deepEqual(find, { selector: { price: { $lt: 10, $gt: true } }, sort: [{ price: 'asc' }], skip: 0, limit: 9 })
      assert.deepEqual([index.ddoc, steps], ['_design/price', ['map']])
      assert.deepEqual((await db.post('_query', { q: '[?price<10]', explain: true })).body.finds.length, 1)
      assert.deepEqual((await db.get(path('[?price<10][/price][0:9][=title]'))).body, ['Sayings', 'Moby Dick'])
    })

    it('refuses what cannot be read, and says where', async () => {
      assertRefused(await db.get(path('[?price<')), 400, 'query_parse_error', /at character 9 of the query$/)
      assertRefused(await db.get(path('[?price.valueOf()]')), 400, 'query_parse_error', /Methods cannot be called: there is a call at character 16 /)
      assertRefused(await db.get(path('(1')), 400, 'query_parse_error')
      assertRefused(await db.get('_query'), 400, 'bad_request', /`q`/)
      assertRefused(await db.post('_query', {}), 400, 'bad_request', /`q`/)
      assertRefused(await db.post('_query', []), 400, 'bad_request')
      assertRefused(await db.post('_query', { q: '$', args: {} }), 400, 'bad_request', /`args`/)
      assertRefused(await db.post('_query', { q: `a${'+1'.repeat(3000)}` }), 400, 'query_too_large')
      assertRefused(await db.post('_query', { q: 'a'.repeat(8193) }), 400, 'query_too_large')
      assertRefused(await db.put('_query', {}), 405, 'method_not_allowed')
    })

    it('refuses an answer that would have the same value without end', async () => {
      assertRefused(await db.post('_query', { q: `$${'[=[@,@]]'.repeat(150)}` }), 400, 'query_too_large')
    })

    it('is for whom `_find` is for', async () => {
      const member = await users.add()
      const other = await users.add()
      await db.put('_security', { members: { names: [member.name] } })
      assert.deepEqual((await db.get(path('[=_id]'), member.as)).body, ['a', 'b', 'c'])
      assertRefused(await db.get(path('$'), other.as), 403, 'forbidden')
      assertRefused(await db.post('_query', { q: '$' }, other.as), 403, 'forbidden')
      assertRefused(await db.get(path('$'), NOBODY), 401, 'unauthorized')
      for (const as of [member.as, other.as]) assert.equal((await get('/_users/_query?q=$', as)).status, 403)
    })
  })

  it('is not there over the documents of several shards', async function () {
    if (!sharded) this.skip()
    assertRefused(await db.get(path('$')), 501, 'not_implemented')
  })

  it('asks one document', async () => {
    await write(books)
    const ask = async (query, more = '') => (await db.get(`c?query=${encodeURIComponent(query)}${more}`)).body
    assert.deepEqual(await ask('parts[?n>1]'), [{ n: 2 }])
    assert.deepEqual(await ask('{title:title,most:Math.max(parts[0].n,parts[1].n)}'), { title: 'Honour', most: 2 })
    assert.deepEqual(await ask('$'), (await db.get('c')).body)
    assert.deepEqual(await ask('parts[?n=$1]', '&args=[1]'), [{ n: 1 }])
    const { _rev } = await ask('$')
    await db.put('c', { title: 'Other', _rev })
    assert.deepEqual([await ask('title'), await ask('title', `&rev=${_rev}`)], ['Other', 'Honour'])
    assertRefused(await db.get('c?query=['), 400, 'query_parse_error', /at character 2 of the query$/)
    assertRefused(await db.get('c?query=$&open_revs=all'), 400, 'bad_request')
    assertRefused(await db.get('nothing?query=$'), 404, 'not_found')
  })
})

describe('JSONQuery with access by document', () => {
  before(async function () { if ((await get('/')).body.vendor.name !== 'Potoroo') this.skip() })

  const db = new AccessDatabase()

  it('asks what the user may read', async () => {
    const [alice, bob] = [await db.user(), await db.user()]
    await alice.write('mine', { _access: [alice.name], n: 1 })
    assert.equal((await alice.get('mine?query=n')).body, 1)
    const told = []
    for (const id of ['mine', 'nothing']) {
      const { status, text } = await bob.get(`${id}?query=n`)
      told.push([status, text])
    }
    assert.deepEqual(told[0], told[1])
    assert.equal(told[0][0], 404)
    await bob.write('other', { _access: [bob.name], n: 2 })
    await db.admin.write('both', { _access: [alice.name, bob.name], n: 3 })
    await db.admin.write('_design/n', { language: 'query', options: { access: true }, views: { n: { map: { fields: { n: 'asc' } }, options: { def: { fields: ['n'] } } } } })
    for (const [user, ns] of [[db.admin, [3, 1, 2]], [alice, [3, 1]], [bob, [3, 2]]]) {
      assert.deepEqual((await user.get('_query?q=[=n]')).body, ns)
      assert.deepEqual((await user.post('_query', { q: '[?n>0][/n][=n]' })).body, ns.toSorted((a, b) => a - b))
      assert.deepEqual((await user.get('_query?q=[?n>0][/n]&explain=true')).body.finds.map(({ index }) => index.ddoc), ['_design/n'])
      assert.equal((await user.get('_query?q=.length')).body, ns.length)
    }
  })
})
