'use strict'

const assert = require('node:assert/strict')
const { TestDatabase } = require('./support/database')
const { assertRefused } = require('./support/refusal')
const { get, post, put, remove, request } = require('./support/request')
const { NOBODY } = require('./support/users')

describe('a _replicator database that everybody may write into', () => {
  const job = { source: 'http://192.0.2.1/a', target: 'http://192.0.2.1/b' }
  const source = new TestDatabase()
  let db = ''
  let rev = ''

  beforeEach(async () => {
    db = `/${encodeURIComponent(`${source.name}-r/_replicator`)}`
    await put(db)
    await put(`${db}/_security`, {})
    rev = (await put(`${db}/there`, { ...job, _replication_state: 'failed' })).body.rev
    await put(`${db}/_local/there`, {})
  })
  afterEach(() => remove(db))

  const as = headers => ({ headers: { ...NOBODY.headers, ...headers } })
  const form = new URLSearchParams({ _doc: '{}' }).toString()

  /** @type {Array<[string, () => Promise<any>]>} */
  const ways = [
    ['PUT', () => put(`${db}/new`, job, NOBODY)],
    ['PUT over another', () => put(`${db}/there?rev=${rev}`, job, NOBODY)],
    ['PUT in a batch', () => put(`${db}/new?batch=ok`, job, NOBODY)],
    ['PUT of a revision', () => put(`${db}/new?new_edits=false`, { ...job, _rev: '1-a' }, NOBODY)],
    ['PUT of a local document', () => put(`${db}/_local/new`, {}, NOBODY)],
    ['PUT of a design document', () => put(`${db}/_design/new`, {}, NOBODY)],
    ['multipart', () => put(`${db}/new`, '--x\r\nContent-Type: application/json\r\n\r\n{}\r\n--x--', as({ 'Content-Type': 'multipart/related; boundary=x' }))],
    ['POST', () => post(db, job, NOBODY)],
    ['POST in a batch', () => post(`${db}?batch=ok`, job, NOBODY)],
    ['a form', () => post(`${db}/there`, form, as({ 'Content-Type': 'application/x-www-form-urlencoded' }))],
    ['_bulk_docs', () => post(`${db}/_bulk_docs`, { docs: [{ _id: 'new', ...job }] }, NOBODY)],
    ['_bulk_docs of revisions', () => post(`${db}/_bulk_docs`, { docs: [{ _id: 'new', _rev: '1-a', ...job }], new_edits: false }, NOBODY)],
    ['_bulk_docs of local documents', () => post(`${db}/_bulk_docs`, { docs: [{ _id: '_local/new' }] }, NOBODY)],
    ['COPY', () => request('COPY', `${db}/there`, as({ Destination: 'new' }))],
    ['COPY of a local document', () => request('COPY', `${db}/_local/there`, as({ Destination: 'new' }))],
    ['DELETE', () => remove(`${db}/there?rev=${rev}`, NOBODY)],
    ['DELETE of a local document', () => remove(`${db}/_local/there?rev=0-1`, NOBODY)],
    ['an attachment', () => put(`${db}/there/file?rev=${rev}`, 'x', NOBODY)],
    ['an attachment that makes a document', () => put(`${db}/new/file`, 'x', NOBODY)],
    ['DELETE of an attachment', () => remove(`${db}/there/file?rev=${rev}`, NOBODY)],
    ['_purge', () => post(`${db}/_purge`, { there: [rev] }, NOBODY)]
  ]
  for (const [way, write] of ways) {
    it(`takes nothing from nobody, by ${way}`, async () => {
      const before = (await get(`${db}/_all_docs`)).body
      assertRefused(await write(), 401, 'unauthorized')
      assert.deepEqual((await get(`${db}/_all_docs`)).body, before)
      assert.equal((await get(`${db}/_local/new`)).status, 404)
    })
  }

  it('takes nothing of a replication that nobody owns', async () => {
    await source.put('new', job)
    const answer = await post('/_replicate', { source: source.name, target: decodeURIComponent(db.slice(1)), user_ctx: { name: null, roles: [] } })
    if (answer.status === 200) assert.equal(answer.body.history[0].docs_written, 0, answer.text)
    assert.equal((await get(`${db}/new`)).status, 404)
  })

  it('is read by everybody', async () => {
    assert.equal((await get(`${db}/there`, NOBODY)).status, 200)
    assert.equal((await post(`${db}/_bulk_get`, { docs: [{ id: 'there' }] }, NOBODY)).status, 200)
    assert.equal((await post(`${db}/_revs_diff`, { there: ['1-x'] }, NOBODY)).status, 200)
  })
})
