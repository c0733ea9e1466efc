'use strict'

const assert = require('node:assert/strict')
const { TestDatabase } = require('./support/database')
const { get, put, remove } = require('./support/request')
const { RawConnection } = require('./support/raw')

/** Asks a server under another name: fetch does not let one say it. */
async function ask (host, path) {
  const connection = await RawConnection.open()
  await connection.request('GET', path, { Host: host, Connection: 'close' })
  const text = await connection.closed()
  return { status: Number(text.slice(9, 12)), body: text.slice(text.indexOf('\r\n\r\n') + 4) }
}

describe('virtual hosts', () => {
  const db = new TestDatabase()
  const names = []

  const stand = async (host, target) => {
    const path = `/_node/_local/_config/vhosts/${encodeURIComponent(host)}`
    assert.equal((await put(path, JSON.stringify(target))).status, 200)
    names.push(path)
  }

  beforeEach(async () => {
    await db.write('a', { n: 1 })
    await db.write('_design/app', {
      shows: { f: 'function (doc, req) { return JSON.stringify([req.requested_path, req.path.slice(1)]) }' },
      rewrites: [{ from: '/page/:id', to: '../../:id' }, { from: '/shown', to: '_show/f' }]
    })
  })

  afterEach(async () => { for (const path of names.splice(0)) await remove(path) })

  it('stand for a database', async () => {
    await stand('example.test', `/${db.name}`)
    assert.equal(JSON.parse((await ask('example.test', '/a?x=1')).body).n, 1)
    assert.equal(JSON.parse((await ask('example.test', '/')).body).db_name, db.name)
    assert.equal((await ask('other.test', '/a')).status, 404)
    assert.equal((await get('/')).body.couchdb, 'Welcome')
  })

  it('stand for rewrites, whose functions see the path that was asked for', async () => {
    await stand('app.test', `/${db.name}/_design/app/_rewrite`)
    assert.equal(JSON.parse((await ask('app.test', '/page/a')).body).n, 1)
    assert.deepEqual(JSON.parse((await ask('app.test', '/shown')).body), [['shown'], ['_design', 'app', '_show', 'f']])
  })

  it('leave some paths to the server', async () => {
    await stand('example.test', `/${db.name}`)
    assert.equal(JSON.parse((await ask('example.test', '/_session')).body).userCtx.roles[0], '_admin')
    assert.equal(JSON.parse((await ask('example.test', '/_uuids')).body).uuids.length, 1)
  })

  it('may have ports, paths and parts that stand for any', async () => {
    await stand('*.any.test', '/*')
    await stand(':db.named.test', '/:db')
    await stand('port.test:1234', `/${db.name}`)
    await stand('path.test/under', `/${db.name}`)
    assert.equal(JSON.parse((await ask(`${db.name}.any.test`, '/a')).body).n, 1)
    assert.equal(JSON.parse((await ask(`${db.name}.named.test`, '/a')).body).n, 1)
    assert.equal((await ask('port.test', '/a')).status, 404)
    assert.equal(JSON.parse((await ask('port.test:1234', '/a')).body).n, 1)
    assert.equal((await ask('path.test', '/a')).status, 404)
    assert.equal(JSON.parse((await ask('path.test', '/under/a')).body).n, 1)
  })
})
