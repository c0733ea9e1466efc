'use strict'

const assert = require('node:assert/strict')
const { TestDatabase } = require('./support/database')
const { RawConnection } = require('./support/raw')

/** CouchDB has other words for what is no request, or none. */
const ours = process.env.TEST_URL === undefined

describe('Unknown methods', () => {
  const db = new TestDatabase()

  async function ask (method, path, headers = {}, body) {
    const connection = await RawConnection.open()
    await connection.request(method, path, { ...headers, Connection: 'close' }, body)
    const text = await connection.closed()
    const [head, content] = text.split('\r\n\r\n')
    return { status: Number(text.slice(9, 12)), allow: /^Allow: (.*)$/m.exec(head)?.[1].trim(), type: /^Content-Type: (.*)$/m.exec(head)?.[1].trim(), body: content === '' ? '' : JSON.parse(content) }
  }

  const refused = (answer, allow) => assert.deepEqual(answer, { status: 405, allow, type: 'application/json', body: { error: 'method_not_allowed', reason: `Only ${allow} allowed` } })

  for (const method of ['copy', 'get', 'FOO', 'Put', 'PATCH', 'MKCOL', 'X-1', 'CONNECT']) {
    it(`are refused: ${method}`, async () => {
      await db.write('a')
      refused(await ask(method, db.path('a'), { Destination: 'b' }), 'DELETE,GET,HEAD,POST,PUT,COPY')
      refused(await ask(method, db.path()), 'DELETE,GET,HEAD,POST')
      refused(await ask(method, `/${db.path('//_all_docs')}?x=1`, { 'Content-Length': 2, 'Content-Type': 'application/json' }, '{}'), 'GET,HEAD,POST')
      assert.equal((await db.get('')).body.doc_count, 1)
    })
  }

  it('and those that a path has not are told the others, in the order of CouchDB', async () => {
    await db.write('_design/d', { views: { v: { map: 'function () {}' } } })
    const lists = {
      '/_session': 'GET,HEAD,POST,DELETE',
      [db.path('_changes')]: 'GET,POST,HEAD',
      [db.path('_index')]: 'GET,POST',
      [db.path('_design/d/_view/v')]: 'GET,POST,HEAD',
      [db.path('_design/d/_view')]: 'GET,POST,HEAD',
      [db.path('_design/d/_info')]: 'GET',
      [db.path('_local/l')]: 'DELETE,GET,HEAD,POST,PUT,COPY'
    }
    for (const [path, allow] of Object.entries(lists)) refused(await ask('PATCH', path), allow)
    refused(await ask('GET', db.path('_design/d/_view')), 'GET,POST,HEAD')
  })

  it('find nothing, as all others, where there is nothing', async () => {
    for (const method of ['CONNECT', 'FOO', 'TRACE', 'OPTIONS']) {
      for (const path of ['a', 'a/b', 'a/b/c/d']) {
        const { status, body } = await ask(method, db.path(`_index/${path}`))
        assert.deepEqual([status, body], [404, { error: 'not_found', reason: 'missing' }], `${method} ${path}`)
      }
    }
  })

  it('are refused on a connection that was good', async () => {
    const connection = await RawConnection.open()
    await connection.request('GET', db.path(), {})
    await connection.received(db.name)
    await connection.request('FOO', db.path(), { Connection: 'close' })
    assert.match(await connection.closed(), /^HTTP\/1\.1 200 [^]*HTTP\/1\.1 405 [^]*"Only DELETE,GET,HEAD,POST allowed"\}\n$/)
  })

  it('that are no request are 400', async function () {
    if (!ours) this.skip()
    for (const line of ['\x16\x03\x01\x02', 'FOO\r\n\r\n', 'FOO a HTTP/1.1\r\n\r\n', 'FOO / HTTP/9\r\n\r\n', 'F(O / HTTP/1.1\r\n\r\n']) {
      const connection = await RawConnection.open()
      await connection.send(Buffer.from(line, 'latin1'))
      assert.equal(await connection.closed(), 'HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n', line)
    }
  })

  it('that comes with too much in front of it is 431', async function () {
    if (!ours) this.skip()
    const connection = await RawConnection.open()
    await connection.send(`GET / HTTP/1.1\r\nX: ${'x'.repeat(70000)}\r\n\r\n`)
    assert.match(await connection.closed(), /^HTTP\/1\.1 431 /)
  })
})
