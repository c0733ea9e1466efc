'use strict'

const assert = require('node:assert/strict')
const { MemoryLevel } = require('memory-level')
const { Databases, checkDatabases, rangesOf, shardOf } = require('@potoroo/document-store')
const { serve } = require('..')
const { askInside } = require('../lib/passing/inner-request')
const { failureOf } = require('../lib/shards/failure')
const { RowStream } = require('../lib/merging/row-stream')
const { itemsOf } = require('../lib/merging/items')
const { formatVector, parseVector } = require('../lib/shards/sequence')

describe('the answer of a shard', () => {
  it('is that it cannot be reached, where it breaks off before a word', async () => {
    const answer = await askInside((req, res) => res.destroy(), { url: '/', extra: {} })
    const { status, error } = await failureOf(answer)
    assert.deepEqual([status, error], [503, 'service_unavailable'])
  })

  it('is what it refused, with a body or without', async () => {
    const answerOf = (body) => askInside((req, res) => {
      res.writeHead(404)
      res.end(body)
    }, { url: '/', extra: {} })
    assert.deepEqual(await failureOf(await answerOf('{"error":"not_found","reason":"missing"}')).then(({ status, reason }) => [status, reason]), [404, 'missing'])
    assert.equal((await failureOf(await answerOf(''))).status, 404)
  })
})

describe('the catalogue of databases of several shards', () => {
  const problemsOf = async level => {
    const problems = []
    for await (const problem of checkDatabases(level)) problems.push(problem)
    return problems
  }

  it('makes all shards in one batch, and drops them in one', async () => {
    const level = new MemoryLevel()
    const databases = await Databases.open(level)
    const batches = []
    const { batch } = level
    level.batch = function (operations, ...rest) {
      batches.push(operations?.map(({ type, key }) => `${type} ${key}`))
      return batch.call(this, operations, ...rest)
    }
    const { shards } = await databases.createSharded('db', 3)
    assert.equal(batches.length, 1)
    for (const shard of shards) assert.ok(batches[0].includes(`put n${shard}`))
    batches.length = 0
    await databases.destroy('db')
    for (const shard of shards) assert.ok(batches[0].includes(`del n${shard}`))
    assert.ok(batches[0].includes('del sdb'))
    assert.deepEqual(await problemsOf(level), [])
    await databases.close()
  })

  it('finds none that is being dropped, while its parts are taken from others', async () => {
    const level = new MemoryLevel()
    const found = []
    const seize = async () => { found.push(...await Promise.all(['db', 'whole'].map(name => databases.lookUp(name))), databases.sharded('db')) }
    const databases = await Databases.open(level, { sharing: { levelOf: () => level, catalogue: () => level, seize } })
    await databases.createSharded('db', 2)
    await databases.destroy('db')
    assert.deepEqual(found, Array(6).fill(undefined))
    found.length = 0
    await databases.create('whole')
    await databases.destroy('whole')
    assert.deepEqual(found, Array(3).fill(undefined))
    await databases.create('whole')
    assert.ok(await databases.lookUp('whole'))
    await databases.close()
  })

  it('clears at the next start what a crash left of one that was dropped', async () => {
    const level = new MemoryLevel()
    const databases = await Databases.open(level)
    const { shards } = await databases.createSharded('db', 3)
    await (await databases.get(shards[1])).put({ _id: 'a' })
    level.clear = async () => { throw Object.assign(new Error('gone'), { code: 'LEVEL_IO_ERROR' }) }
    await assert.rejects(databases.destroy('db'))
    delete level.clear
    const again = await Databases.open(level)
    assert.deepEqual([again.has('db'), again.list(), await level.keys().all()], [false, [], ['q']])
  })

  it('is there again after a restart, under its name alone', async () => {
    const level = new MemoryLevel()
    const databases = await Databases.open(level)
    const { instanceId, shards } = await databases.createSharded('db', 3, { partitioned: true })
    await databases.create('other')
    await databases.close()
    const again = await Databases.open(level)
    assert.deepEqual(again.list(), ['db', 'other'])
    const { q, partitioned, ...rest } = again.sharded('db')
    assert.deepEqual([q, partitioned, rest.instanceId, rest.shards], [3, true, instanceId, shards])
    await assert.rejects(again.get('db'), { status: 501 })
    await assert.rejects(again.create('db'), { code: 'DATABASE_EXISTS' })
    assert.deepEqual((await again.summaries()).map(({ name }) => name).sort(), ['db', 'other'])
    assert.deepEqual(await problemsOf(level), [])
    await again.close()
  })

  it('divides ids as CouchDB does', () => {
    assert.deepEqual(rangesOf(3), ['00000000-55555554', '55555555-aaaaaaa9', 'aaaaaaaa-ffffffff'])
    assert.equal(shardOf('p:1', { q: 8, partitioned: true }), shardOf('p:2', { q: 8, partitioned: true }))
    for (const q of [1, 2, 3, 8, 255, 256]) {
      const ranges = rangesOf(q).map(range => range.split('-').map(text => parseInt(text, 16)))
      for (let i = 0; i < 200; i++) {
        const [low, high] = ranges[shardOf(`id${i}`, { q })]
        const hash = require('node:zlib').crc32(`id${i}`)
        assert.ok(hash >= low && hash <= high)
      }
    }
  })
})

describe('sequences of databases of several shards', () => {
  const database = { q: 3, instanceId: '00112233445566778899aabbccddeeff' }

  it('have the sequences of all shards', () => {
    for (const vector of [[0, 0, 0], [1, 127, 128], [16383, 16384, 2 ** 40], [2 ** 52, 0, 1]]) {
      const text = formatVector(/** @type {any} */ (database), vector)
      assert.equal(text.split('-')[0], String(vector.reduce((sum, each) => sum + each)))
      assert.deepEqual(parseVector(/** @type {any} */ (database), text), vector)
      assert.deepEqual(parseVector(/** @type {any} */ (database), JSON.stringify(text)), vector)
      assert.deepEqual(parseVector(/** @type {any} */ ({ ...database, instanceId: 'f'.repeat(32) }), text), [0, 0, 0])
      assert.deepEqual(parseVector(/** @type {any} */ ({ ...database, q: 4 }), text), [0, 0, 0, 0])
    }
    for (const text of ['x', '-1', '5', '1-s', '1-s!!!!!!!!!!!!']) assert.throws(() => parseVector(/** @type {any} */ (database), text), { status: 400 }, text)
  })
})

describe('rows of a shard', () => {
  const text = '{"total_rows":3,"a":["rows"],"rows":[\r\n{"id":"\\"]},\\\\","key":[1,{"x":"é😀"}]},\r\n[],\r\n"],[",  null\r\n],"b":{"rows":[1]}}\n'

  it('are found wherever the text is cut', async () => {
    const bytes = Buffer.from(text)
    for (let cut = 0; cut <= bytes.length; cut++) {
      const chunks = [bytes.subarray(0, cut), bytes.subarray(cut), null]
      const stream = new RowStream(/** @type {any} */ ({ read: async () => chunks.shift(), close () {} }), 'rows')
      const rows = []
      while (await stream.fill()) rows.push(JSON.parse(stream.take()))
      const { rows: wanted, ...members } = JSON.parse(text)
      assert.deepEqual([rows, stream.members], [wanted, members], `cut at ${cut}`)
    }
  })

  it('that end early are a fault', async () => {
    const chunks = [Buffer.from('{"rows":[1,'), null]
    const stream = new RowStream(/** @type {any} */ ({ read: async () => chunks.shift(), close () {} }), 'rows')
    await assert.rejects(async () => { while (await stream.fill()) stream.take() }, { code: 'INTERNAL' })
  })

  it('are items of a request, too', () => {
    for (const [request, items] of [
      ['{"docs":[]}', []], ['{"docs":[ {"a":"]\\\\\\""} , {"docs":[1,2]},3 ]}', ['{"a":"]\\\\\\""}', '{"docs":[1,2]}', '3']],
      ['{"x":["docs",[1]],"docs":[1],"y":{},"docs":[12345678901234567890]}', ['12345678901234567890']], ['{"d\\u006fcs":[1],"z":"docs"}', ['1']]
    ]) assert.deepEqual(itemsOf(request, 'docs').map(item => item.trim()), items)
  })
})

describe('copies of design documents', () => {
  it('that a crash left different are made equal before the next answer', async () => {
    const server = await serve({ port: 0, storage: 'memory', admins: { admin: 'secret' }, config: { chttpd_auth: { iterations: 10 } }, log () {} })
    const send = async (method, path, body) => {
      const response = await fetch(server.url.replace(/\/$/, '') + path, { method, body: body && JSON.stringify(body), headers: { Authorization: `Basic ${btoa('admin:secret')}`, 'Content-Type': 'application/json' } })
      return response.json()
    }
    try {
      const { databases } = server.service
      await databases.make('db', { q: 4 })
      const { shards, ...database } = databases.sharded('db')
      const stores = await Promise.all(shards.map(shard => databases.get(shard)))
      const rules = word => ({ validate_doc_update: `function (doc) { if (doc.${word}) throw { forbidden: '${word}' } }` })
      // One was written, and its copies were not; another was deleted, and its copies were not; one is a copy of nothing.
      const home = stores[shardOf('_design/new', database)]
      await home.put({ _id: '_design/new', ...rules('fresh') })
      for (const store of stores) await store.put({ _id: '_design/old', ...rules('stale') })
      const { rev } = await stores[shardOf('_design/old', database)].get('_design/old')
      await stores[shardOf('_design/old', database)].put({ _id: '_design/old', _rev: rev, _deleted: true })
      await stores[(shardOf('_design/none', database) + 1) % 4].put({ _id: '_design/none', ...rules('none') })
      const { doc_count: count } = await send('GET', '/db')
      assert.equal(count, 1)
      for (let i = 0; i < 12; i++) {
        assert.equal((await send('PUT', `/db/d${i}`, { fresh: true })).reason, 'fresh')
        assert.equal((await send('PUT', `/db/d${i}`, { stale: true, none: true })).ok, true)
      }
      const told = (await send('GET', '/db/_changes?style=all_docs')).results.map(({ id }) => id).filter(id => id.startsWith('_design/')).sort()
      assert.deepEqual(told, ['_design/new', '_design/old'])
      assert.deepEqual(await Promise.all(stores.map(async store => (await store.get('_design/new')).rev)), Array(4).fill((await home.get('_design/new')).rev))
    } finally {
      await server.close()
    }
  })
})
