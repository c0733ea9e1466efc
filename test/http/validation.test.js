'use strict'

const assert = require('node:assert/strict')
const { TestDatabase } = require('./support/database')
const { assertRefused } = require('./support/refusal')
const { post, put, remove } = require('./support/request')
const { server } = require('./support/server')

const validate = `function (newDoc, oldDoc, userCtx, secObj) {
  if (newDoc.forbidden) throw { forbidden: newDoc.forbidden }
  if (newDoc.unauthorized) throw { unauthorized: newDoc.unauthorized }
  if (newDoc.broken) return newDoc.broken.broken.broken
  if (oldDoc && oldDoc.fixed && oldDoc.fixed !== newDoc.fixed) throw { forbidden: 'fixed' }
  if (newDoc._attachments && newDoc._attachments.secret) throw { forbidden: 'no secrets' }
  if (newDoc.who && newDoc.who !== userCtx.name) throw { forbidden: 'you are ' + userCtx.name + ' with ' + userCtx.roles + ' in ' + userCtx.db }
  if (newDoc.shape) throw { forbidden: Object.keys(newDoc).sort().join() + ' ' + JSON.stringify(secObj.admins) }
}`

describe('validate_doc_update', () => {
  const db = new TestDatabase()

  beforeEach(async () => {
    assert.equal((await db.put('_design/rules', { validate_doc_update: validate })).status, 201)
  })

  it('refuses a document with the words of the function', async () => {
    assertRefused(await db.put('a', { forbidden: 'not here' }), 403, 'forbidden', 'not here')
    assertRefused(await db.put('a', { unauthorized: 'not you' }), 401, 'unauthorized', 'not you')
    assertRefused(await db.post('', { forbidden: 'not here' }), 403, 'forbidden', 'not here')
    assert.equal((await db.put('a', { fine: true })).status, 201)
  })

  it('sees the document before, the user, and the security object', async () => {
    const rev = await db.write('a', { fixed: 1 })
    assertRefused(await db.put('a', { _rev: rev, fixed: 2 }), 403, 'forbidden', 'fixed')
    assertRefused(await db.remove(`a?rev=${rev}`), 403, 'forbidden', 'fixed')
    assert.equal((await db.put('a', { _rev: rev, fixed: 1 })).status, 201)
    const { body } = await db.put('b', { who: 'somebody' })
    assert.match(body.reason, new RegExp(`^you are \\S+ with _admin in ${db.name}$`))
    assertRefused(await db.put('b', { shape: 1 }), 403, 'forbidden', '_id,shape {"roles":["_admin"]}')
  })

  it('asks nothing of functions whose design document was purged', async () => {
    assertRefused(await db.put('a', { forbidden: 'not here' }), 403, 'forbidden', 'not here')
    const { _id: id, _rev: rev } = (await db.get('_design/rules')).body
    assert.equal((await db.post('_purge', { [id]: [rev] })).status, 201)
    assert.equal((await db.put('a', { forbidden: 'not here' })).status, 201)
  })

  it('refuses single documents of many, new edits and replicated ones', async () => {
    const { body } = await db.post('_bulk_docs', { docs: [{ _id: 'a' }, { _id: 'b', forbidden: 'no' }, { _id: 'c' }] })
    assert.deepEqual(body.map(({ id, error, reason }) => [id, error, reason]), [['a', undefined, undefined], ['b', 'forbidden', 'no'], ['c', undefined, undefined]])
    const { status, body: all } = await db.post('_bulk_docs', { docs: [{ _id: 'f' }, { _id: 'g', forbidden: 'no' }], atomic: true })
    assert.deepEqual([status, all.map(({ error }) => error)], [417, ['expectation_failed', 'forbidden']])
    const docs = [{ _id: 'd', _rev: '1-a' }, { _id: 'e', _rev: '1-b', unauthorized: 'no' }]
    assert.deepEqual((await db.post('_bulk_docs', { docs, new_edits: false })).body, [{ id: 'e', rev: '1-b', error: 'unauthorized', reason: 'no' }])
    assert.equal((await db.get('_all_docs')).body.rows.length, 4)
  })

  it('compares a replicated revision with its ancestor', async () => {
    await db.replicate({ _id: 'a', _rev: '1-a', fixed: 1 })
    const [next, other] = [{ start: 2, ids: ['b', 'a'] }, { start: 1, ids: ['x'] }]
    const { body } = await db.post('_bulk_docs', { docs: [{ _id: 'a', _revisions: next, fixed: 2 }], new_edits: false })
    assert.equal(body[0].reason, 'fixed')
    await db.replicate({ _id: 'a', _revisions: other, fixed: 2 })
  })

  it('is asked about attachments', async () => {
    const text = { headers: { 'Content-Type': 'text/plain' } }
    assertRefused(await db.put('a/secret', 'x', text), 403, 'forbidden', 'no secrets')
    assertRefused(await db.put('a', { _attachments: { secret: { content_type: 'text/plain', data: 'eA==' } } }), 403, 'forbidden', 'no secrets')
    assert.equal((await db.put('a/open', 'x', text)).status, 201)
  })

  it('is not asked about design documents and local documents', async () => {
    assert.equal((await db.put('_design/other', { forbidden: 'x' })).status, 201)
    assert.equal((await db.put('_local/a', { forbidden: 'x' })).status, 201)
  })

  it('answers with its error when it fails', async () => {
    const { status, body } = await db.put('a', { broken: {} })
    assert.deepEqual([status, body.error], [500, 'TypeError'])
    assert.equal((await db.put('a', {})).status, 201)
  })

  it('takes effect, changes and ends with its design document', async () => {
    assert.equal((await db.put('a', { forbidden: 'no' })).status, 403)
    const { _rev: rev } = (await db.get('_design/rules')).body
    const changed = await db.put('_design/rules', { _rev: rev, validate_doc_update: 'function () { throw { forbidden: "nothing" } }' })
    assertRefused(await db.put('a', {}), 403, 'forbidden', 'nothing')
    await db.remove(`_design/rules?rev=${changed.body.rev}`)
    assert.equal((await db.put('a', { forbidden: 'no' })).status, 201)
  })

  it('guards what replication writes, by name and by URL', async () => {
    const source = `${db.name}-source`
    const { origin, credentials: { username, password } } = server
    await put(`/${source}`)
    try {
      await post(`/${source}/_bulk_docs`, { docs: [{ _id: 'a' }, { _id: 'b', forbidden: 'no' }] })
      const url = origin.replace('//', `//${encodeURIComponent(username)}:${encodeURIComponent(password)}@`)
      for (const target of [db.name, `${url}/${db.name}`]) {
        const { body } = await post('/_replicate', { source: `${url}/${source}`, target })
        assert.equal(body.ok, true)
      }
      assert.deepEqual((await db.get('_all_docs')).body.rows.map(({ id }) => id), ['_design/rules', 'a'])
    } finally {
      await remove(`/${source}`)
    }
  })
})
