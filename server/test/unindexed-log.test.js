'use strict'

const assert = require('node:assert/strict')
const { EventEmitter } = require('node:events')
const { serve } = require('..')
const { UnindexedLog } = require('../lib/indexes/unindexed-log')

describe('documents that a text index leaves out', () => {
  it('are in the log of the server, each revision once', async () => {
    let log = ''
    const server = await serve({ port: 0, storage: 'memory', admins: { anna: 'secret' }, config: { chttpd_auth: { iterations: 10 } }, log: text => { log += text } })
    const ask = async (method, path, body) => {
      const answer = await fetch(server.url + path, { method, headers: { Authorization: `Basic ${btoa('anna:secret')}`, 'Content-Type': 'application/json' }, body: JSON.stringify(body) })
      return answer.json()
    }
    const told = () => {
      server.service.log.flush()
      return log.split('\n').filter(line => line.includes('is not in the text index'))
    }
    try {
      await ask('PUT', '/db')
      await ask('POST', '/db/_index', { type: 'text', ddoc: 'texts', index: {} })
      const large = Array.from({ length: 100_001 }, (_, i) => i)
      const { rev } = await ask('PUT', '/db/large', { large })
      await ask('PUT', '/db/fox', { text: 'fox' })
      const find = async () => (await ask('POST', '/db/_find', { selector: { $text: 'fox' }, fields: ['_id'] })).docs
      assert.deepEqual(await find(), [{ _id: 'fox' }])
      assert.equal(told().length, 1)
      assert.match(told()[0], new RegExp(`^\\[warning\\].* db: large \\(${rev}\\) is not in the text index of _design/texts: it has more than 100000 values, or 16777216 characters$`))
      await ask('PUT', '/db/fox2', { text: 'fox' })
      assert.equal((await find()).length, 2)
      assert.equal(told().length, 1)
      const { rev: next } = await ask('PUT', '/db/large', { _rev: rev, large, more: 1 })
      await find()
      assert.equal(told().length, 2)
      assert.ok(told()[1].includes(next))
    } finally {
      await server.close()
    }
  })

  it('are counted where they are many', () => {
    const lines = []
    const store = Object.assign(new EventEmitter(), { name: 'db' })
    new UnindexedLog({ quote: (level, text) => lines.push(`${level} ${text}`) }).follow(/** @type {any} */ (store))
    for (let i = 0; i < 5000; i++) store.emit('unindexed', { ddoc: '_design/d', id: `${i}`, rev: '1-a', why: 'it is large' })
    assert.equal(lines.length, 20)
    assert.equal(lines[0], 'warning db: 0 (1-a) is not in the text index of _design/d: it is large')
    store.emit('graphless', { field: 'v', why: 'no memory' })
    assert.equal(lines[20], 'error db: the vectors of v are found one by one, the graph of them could not be built: no memory')
  })
})
