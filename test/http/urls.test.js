'use strict'

const assert = require('node:assert/strict')
const { TestDatabase } = require('./support/database')
const { assertRefused } = require('./support/refusal')
const { get, request } = require('./support/request')
const { server } = require('./support/server')

describe('URLs', () => {
  const db = new TestDatabase()

  describe('parameters', () => {
    beforeEach(async () => { for (const id of ['a', 'b', 'c']) await db.write(id) })

    const ids = ({ body }) => body.rows.map(({ id }) => id)

    it('may be separated by semicolons', async () => {
      assert.deepEqual(ids(await db.get('_all_docs?startkey="b";limit=1')), ['b'])
      assert.deepEqual(ids(await db.get('_all_docs?descending=true&startkey="b";limit=1')), ['b'])
      assert.deepEqual(ids(await db.get('_all_docs?keys=["c","a"];limit=1')), ['c'])
      assert.deepEqual(ids(await db.get('_all_docs?;;startkey="c";&')), ['c'])
      const rev = await db.write('d', { n: 1 })
      assert.equal((await db.get(`d?revs=true;rev=${rev}`)).body._revisions.start, 1)
      assert.equal((await db.get(`d?rev=${rev};revs=true`)).body._revisions.start, 1)
      assert.equal((await db.get('_changes?limit=1;style=all_docs')).body.results.length, 1)
      assert.equal((await get('/_uuids?x;count=3')).body.uuids.length, 3)
    })

    it('hold semicolons that are encoded', async () => {
      await db.write('b;limit=0')
      assert.deepEqual(ids(await db.get('_all_docs?key="b%3Blimit=0"')), ['b;limit=0'])
    })

    it('are refused where their encoding is wrong', async () => {
      for (const search of ['%', 'x=%1', 'x=%zz', '%f=1']) assertRefused(await db.get(`_all_docs?${search}`), 400, 'bad_request', 'invalid_url_encoding')
    })
  })

  describe('of design documents', () => {
    beforeEach(() => db.write('_design/d', { views: { v: { map: 'function (doc) { emit(doc._id) }' } } }))

    it('lead to the slash that is none of a name where it is escaped', async () => {
      for (const [asked, there] of [['_design%2Fd', '_design/d'], ['_design%2fd?revs=true', '_design/d?revs=true'], ['_design%2Fd/_view/v', '_design/d/_view/v'], ['_design%2Fd%2Fe', '_design/d%2Fe']]) {
        for (const method of ['GET', 'HEAD']) {
          const { status, text, headers } = await request(method, db.path(asked))
          assert.deepEqual([status, text, headers.get('location')], [301, '', server.origin + db.path(there)], asked)
        }
      }
    })

    it('are not said of a database that is not there, nor to who may not read it', async () => {
      assertRefused(await get('/none-such/_design%2Fd'), 404, 'not_found', 'Database does not exist.')
      assertRefused(await db.get('_design%2Fd', { headers: { Authorization: '' } }), 401, 'unauthorized')
    })

    it('serve writes as they are', async () => {
      const { status, body } = await db.put('_design%2Fe', {})
      assert.deepEqual([status, body.id], [201, '_design/e'])
      assert.equal((await db.remove(`_design%2Fe?rev=${body.rev}`)).status, 200)
    })
  })

  describe('slashes', () => {
    it('count as one where there are several', async () => {
      await db.write('doc', { n: 1 })
      await db.write('_design/d', { views: { v: { map: 'function (doc) { emit(doc._id) }' } } })
      const path = db.path()
      assert.equal((await get(`/${path}//_all_docs//`)).body.total_rows, 2)
      assert.equal((await get(`${path}//doc`)).body.n, 1)
      assert.equal((await get(`${path}//_design//d`)).status, 200)
      assert.equal((await get(`${path}//_design///d//_view//v`)).body.rows.length, 1)
      assert.deepEqual((await get('//_session')).body.ok, true)
    })

    it('that are encoded belong to names', async () => {
      await db.put('doc/a%2F%2Fb', 'x', { headers: { 'Content-Type': 'text/plain' } })
      assert.deepEqual(Object.keys((await db.get('doc')).body._attachments), ['a//b'])
      assert.equal((await db.get('doc/a%2F%2Fb')).text, 'x')
      assert.equal((await db.get('doc/a//b')).status, 404)
    })
  })
})
