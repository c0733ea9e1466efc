'use strict'

const assert = require('node:assert')
const { DataFolder, admin } = require('./data-folder')
const { HttpClient } = require('./http-client')

describe('stopping', () => {
  let folder

  beforeEach(() => { folder = new DataFolder() })
  afterEach(() => folder.remove())

  for (const signal of ['SIGINT', 'SIGTERM']) {
    it(`by ${signal} closes the pool and ends with 0`, async () => {
      const server = await folder.start()
      const client = new HttpClient(await server.started, admin)
      await client.ask('PUT', '/todos')
      const { rev } = await client.ask('PUT', '/todos/milk', { litres: 2 })
      const end = await server.end(signal)
      assert.deepStrictEqual({ code: end.code, signal: end.signal, stderr: end.stderr }, { code: 0, signal: null, stderr: '' })

      const again = await folder.start()
      const document = await new HttpClient(await again.started, admin).ask('GET', '/todos/milk')
      assert.deepStrictEqual(document, { _id: 'milk', _rev: rev, litres: 2 })
    })
  }

  it('ends the feeds that clients follow', async () => {
    const server = await folder.start()
    const url = await server.started
    const client = new HttpClient(url, admin)
    await client.ask('PUT', '/todos')
    await client.ask('PUT', '/todos/milk', {})
    const headers = { Authorization: `Basic ${Buffer.from(`${admin.name}:${admin.password}`).toString('base64')}` }
    const feed = await fetch(`${url}/todos/_changes?feed=continuous`, { headers })
    const reader = feed.body.getReader()
    await reader.read()
    const ended = server.end('SIGTERM')
    while (!(await reader.read()).done);
    assert.strictEqual((await ended).code, 0)
  })
})
