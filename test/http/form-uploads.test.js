'use strict'

const assert = require('node:assert/strict')
const { TestDatabase } = require('./support/database')
const { compose } = require('./support/multipart')
const { assertRefused } = require('./support/refusal')
const { server } = require('./support/server')

const disposition = (name, file) => `form-data; name="${name}"${file === undefined ? '' : `; filename="${file}"`}`
const field = (name, content) => ({ headers: { 'Content-Disposition': disposition(name) }, content })
const file = (name, content, type = 'image/x-y') => ({ headers: { 'Content-Disposition': disposition('_attachments', name), 'Content-Type': type }, content })

describe('Forms', () => {
  const db = new TestDatabase()

  const send = (id, parts, headers = {}) => db.post(id, compose('b', parts), {
    headers: { 'Content-Type': 'multipart/form-data; boundary=b', Referer: `${server.origin}/_utils/upload`, ...headers }
  })

  it('add files to the revision that they name', async () => {
    const rev = await db.write('d', { n: 1, _attachments: { old: { content_type: 'a/b', data: 'b2xk' }, a: { data: 'YQ==' } } })
    const { status, body, headers } = await send('d', [field('_rev', rev), file('a', 'new'), file('b.txt', 'two', 'text/plain')])
    assert.equal(status, 201)
    assert.equal(headers.get('etag'), `"${body.rev}"`)
    assert.deepEqual((await db.get('d')).body.n, 1)
    for (const [name, content] of [['old', 'old'], ['a', 'new'], ['b.txt', 'two']]) assert.equal((await db.get(`d/${name}`)).text, content)
  })

  it('bring a document', async () => {
    const { status } = await send('d', [file('a', 'x'), field('_doc', '{"n":2}')])
    assert.equal(status, 201)
    const { body } = await db.get('d')
    assert.deepEqual([body.n, Object.keys(body._attachments)], [2, ['a']])
  })

  it('of other sites, or of none, are refused', async () => {
    const before = await db.contents()
    const parts = [field('_doc', '{}')]
    assertRefused(await send('d', parts, { Referer: 'http://elsewhere.example/form' }), 400, 'bad_request', 'Referer header must match host.')
    assertRefused(await db.post('d', compose('b', parts), { headers: { 'Content-Type': 'multipart/form-data; boundary=b' } }), 400, 'bad_request', 'Referer header required.')
    assertRefused(await db.post('d', '{}', { headers: { Referer: `${server.origin}/` } }), 415, 'bad_content_type', 'Content-Type must be multipart/form-data')
    assert.deepEqual(await db.contents(), before)
  })

  it('of an old revision are a conflict', async () => {
    const first = await db.write('d', { n: 1 })
    await db.write('d', { _rev: first, n: 2 })
    assertRefused(await send('d', [field('_rev', first), file('a', 'x')]), 409, 'conflict')
    assertRefused(await send('d', [field('_doc', '{"n":3}')]), 409, 'conflict')
  })

  it('of nothing known, or without a name, are refused', async () => {
    assert.ok((await send('d', [field('_rev', '1-00000000000000000000000000000000'), file('a', 'x')])).status >= 400)
    assert.ok((await send('d', [{ content: 'x' }])).status >= 400)
    assert.equal((await db.get('d')).status, 404)
  })

  it('with prohibited names are refused', async () => {
    assertRefused(await send('d', [field('_doc', '{}'), file('_a', 'x')]), 400, 'bad_request', 'Attachment name \'_a\' starts with prohibited character \'_\'')
  })
})
