'use strict'

const assert = require('node:assert/strict')
const { once } = require('node:events')
const http = require('node:http')
const express = require('express')
const { potoroo } = require('../lib/dispatch/middleware')

describe("In somebody else's express app", () => {
  let databases
  beforeEach(() => { databases = potoroo({ storage: 'memory', admins: { admin: 'secret' }, config: { chttpd_auth: { iterations: 10 } } }) })
  afterEach(() => databases.close())

  async function withServer (app, options, use) {
    const server = http.createServer(options, app).listen(0, '127.0.0.1')
    await once(server, 'listening')
    try {
      return await use(`http://127.0.0.1:${server.address().port}`, server)
    } finally {
      server.closeAllConnections()
      server.close()
    }
  }

  it('requests and responses have its prototypes from the second request on', async () => {
    const seen = []
    const app = express().use((req, res, next) => {
      seen.push(Object.getPrototypeOf(req).constructor !== http.IncomingMessage)
      next()
    }).use('/db', databases)
    app.get('/own', (req, res) => res.set('X-Own', 'yes').status(201).json({ query: req.query, ip: typeof req.ip }))
    await withServer(app, {}, async origin => {
      for (let i = 0; i < 3; i++) {
        const welcome = await fetch(`${origin}/db/`)
        assert.equal((await welcome.json()).couchdb, 'Welcome')
        assert.match(welcome.headers.get('x-couch-request-id'), /^[0-9a-f]{10}$/)
        const own = await fetch(`${origin}/own?a=1`)
        assert.deepEqual([own.status, own.headers.get('x-own'), await own.json()], [201, 'yes', { query: { a: '1' }, ip: 'string' }])
      }
    })
    assert.deepEqual(seen, [false, true, true, true, true, true])
  })

  it('what the app gives its requests later is there', async () => {
    const app = express().use('/db', databases)
    app.get('/own', (req, res) => res.json(req.greet()))
    await withServer(app, {}, async origin => {
      await (await fetch(`${origin}/db/`)).text()
      app.request.greet = () => 'hello'
      assert.equal(await (await fetch(`${origin}/own`)).json(), 'hello')
    })
  })

  it('classes of the application stay', async () => {
    class Own extends http.IncomingMessage {}
    const app = express().use('/db', databases)
    await withServer(app, { IncomingMessage: Own }, async (origin, server) => {
      const keys = Object.getOwnPropertySymbols(server)
      for (let i = 0; i < 2; i++) assert.equal((await fetch(`${origin}/db/`)).status, 200)
      assert.ok(keys.some(key => server[key] === Own))
    })
  })

  it('an app within an app is left as it is', async () => {
    const outer = express().use('/inner', express().use('/db', databases))
    await withServer(outer, {}, async (origin, server) => {
      for (let i = 0; i < 2; i++) assert.equal((await fetch(`${origin}/inner/db/`)).status, 200)
      assert.ok(Object.getOwnPropertySymbols(server).some(key => server[key] === http.IncomingMessage))
    })
  })
})
