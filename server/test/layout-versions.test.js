'use strict'

const assert = require('node:assert/strict')
const { MemoryLevel } = require('memory-level')
const { serve } = require('..')

const authorization = { Authorization: `Basic ${Buffer.from('admin:secret').toString('base64')}` }

describe('a server with a database that it cannot read', () => {
  let level, server

  const start = async () => {
    server = await serve({ port: 0, host: '127.0.0.1', level, config: { admins: { admin: 'secret' }, chttpd_auth: { iterations: 10 } } })
  }
  const ask = async (method, path, body) => {
    const response = await fetch(server.url + path, {
      method, body: body && JSON.stringify(body), headers: { ...authorization, 'Content-Type': 'application/json' }
    })
    return { status: response.status, body: await response.json() }
  }

  beforeEach(async () => {
    level = new MemoryLevel()
    await start()
    for (const name of ['bad', 'good']) {
      await ask('PUT', `/${name}`)
      await ask('PUT', `/${name}/d`, {})
    }
    await server.close()
    const [key] = await keysOf(level, /nbad$/)
    const database = key.replace(/nbad$/, `b${await level.get(key)}/mdatabase`)
    await level.put(database, JSON.stringify({ ...JSON.parse(await level.get(database)), version: 4000 }))
    await start()
  })

  afterEach(() => server.close())

  it('says why, and serves the others', async () => {
    for (const [method, path, body] of [['GET', '/bad'], ['GET', '/bad/d'], ['PUT', '/bad/e', {}], ['GET', '/bad/_all_docs'], ['GET', '/bad/_changes']]) {
      const { status, body: { error, reason } } = await ask(method, path, body)
      assert.deepEqual([status, error], [500, 'internal_server_error'])
      assert.match(reason, /newer version of Potoroo/)
    }
    assert.deepEqual((await ask('GET', '/_all_dbs')).body.filter((name) => !name.startsWith('_')), ['bad', 'good'])
    assert.equal((await ask('PUT', '/good/e', {})).status, 201)
    assert.equal((await ask('GET', '/good')).body.doc_count, 2)
  })

  it('deletes it when it is told to', async () => {
    assert.equal((await ask('DELETE', '/bad')).status, 200)
    assert.equal((await ask('PUT', '/bad')).status, 201)
    assert.equal((await ask('GET', '/bad')).body.doc_count, 0)
  })
})

async function keysOf (level, pattern) {
  return (await level.keys().all()).filter((key) => pattern.test(key))
}
