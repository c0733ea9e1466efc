'use strict'

const assert = require('node:assert/strict')
const { DataFolder, admin } = require('./data-folder')
const { HttpClient } = require('./http-client')

describe('restarting over HTTP', () => {
  let folder

  beforeEach(() => { folder = new DataFolder() })
  afterEach(() => folder.remove())

  it('closes everything, and comes up again in the same place', async () => {
    const server = await folder.start()
    const url = await server.started
    const client = new HttpClient(url, admin)
    await client.ask('PUT', '/todos')
    const { rev } = await client.ask('PUT', '/todos/milk', { litres: 2 })
    const headers = { Authorization: `Basic ${Buffer.from(`${admin.name}:${admin.password}`).toString('base64')}` }
    const feed = await fetch(`${url}/todos/_changes?feed=continuous`, { headers })
    const reader = feed.body.getReader()
    await reader.read()
    assert.deepEqual(await client.ask('POST', '/_node/_local/_restart'), { ok: true })
    while (!(await reader.read()).done);
    await server.printed(/listens on/g, 2)
    assert.deepEqual(await new HttpClient(url, admin).ask('GET', '/todos/milk'), { _id: 'milk', _rev: rev, litres: 2 })
    assert.equal((await server.end('SIGTERM')).code, 0)
  })
})
