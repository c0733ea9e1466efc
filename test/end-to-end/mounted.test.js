'use strict'

const assert = require('node:assert')
const { once } = require('node:events')
const { mkdtempSync, rmSync } = require('node:fs')
const { createRequire } = require('node:module')
const os = require('node:os')
const path = require('node:path')
const PouchDB = require('pouchdb')
const potoroo = require('../../server')
const { FauxtonBrowser } = require('./fauxton-browser')
const express = createRequire(require.resolve('../../server'))('express')

describe('mounted in somebody\'s express app', function () {
  this.timeout(600_000)
  const auth = { username: 'anna', password: 'a pass phrase' }
  let folder, databases, listener, url

  before(async () => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'potoroo-mounted-'))
    databases = potoroo({ path: path.join(folder, 'data'), storage: 'classic-level', allowVolatile: true, admins: { [auth.username]: auth.password } })
    const app = express()
    app.get('/hello', (req, res) => { res.json({ hello: req.query.name }) })
    app.use('/db', databases)
    app.use((req, res) => { res.status(404).send('not of this app') })
    listener = app.listen(0, '127.0.0.1')
    await once(listener, 'listening')
    url = `http://127.0.0.1:${listener.address().port}`
  })

  after(async () => {
    listener.closeAllConnections()
    await new Promise(resolve => listener.close(resolve))
    await databases.close()
    rmSync(folder, { recursive: true, force: true })
  })

  it('leaves the app its own routes', async () => {
    assert.deepStrictEqual(await (await fetch(`${url}/hello?name=jan`)).json(), { hello: 'jan' })
    const response = await fetch(`${url}/nowhere`)
    assert.strictEqual(response.status, 404)
    assert.strictEqual(await response.text(), 'not of this app')
  })

  it('answers below its path, to PouchDB', async () => {
    const remote = new PouchDB(`${url}/db/todos`, { auth })
    const { rev } = await remote.put({ _id: 'milk', litres: 2 })
    assert.deepStrictEqual(await remote.get('milk'), { _id: 'milk', _rev: rev, litres: 2 })
    const local = new PouchDB(path.join(folder, 'local'))
    const result = await local.replicate.from(remote)
    assert.strictEqual(result.docs_written, 1)
    await local.close()
  })

  it('names places as they are from outside', async () => {
    const headers = { Authorization: `Basic ${Buffer.from(`${auth.username}:${auth.password}`).toString('base64')}` }
    const response = await fetch(`${url}/db/places`, { method: 'PUT', headers })
    assert.strictEqual(response.status, 201)
    assert.match(response.headers.get('location'), /\/db\/places$/)
  })

  it('has Fauxton below its path', async () => {
    const fauxton = await FauxtonBrowser.open(`${url}/db`)
    try {
      await fauxton.logIn(auth.username, auth.password)
      await fauxton.visit('database/todos/_all_docs')
      await fauxton.sees('milk')
      await fauxton.settled()
      await fauxton.picture('mounted')
      assert.deepStrictEqual(fauxton.failures, [])
    } finally {
      await fauxton.close()
    }
  })
})
