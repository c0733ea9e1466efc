'use strict'

const assert = require('node:assert/strict')
const { randomBytes } = require('node:crypto')
const { mkdirSync, writeFileSync } = require('node:fs')
const path = require('node:path')
const { setTimeout: sleep } = require('node:timers/promises')
const { ServerProcess } = require('../support/server-process')
const { SmallDisk } = require('../support/small-disk')
const { HttpClient } = require('./http-client')

const admin = { name: 'anna', password: 'a pass phrase' }

const body = () => ({ text: randomBytes(3000).toString('base64') })

describe('a full disk', function () {
  this.timeout(600_000)
  /** @type {SmallDisk} */
  let disk
  let folder, server, client, refused

  before(function () {
    if (!SmallDisk.isAllowed()) this.skip()
  })

  beforeEach(() => {
    refused = []
    disk = new SmallDisk(48)
    folder = path.join(disk.path, 'data')
    mkdirSync(folder, { mode: 0o700 })
    writeFileSync(path.join(folder, 'potoroo.ini'), '[chttpd_auth]\niterations = 1000\n')
  })

  afterEach(async () => {
    await server?.end('SIGKILL')
    disk.remove()
  })

  const start = async storage => {
    server = new ServerProcess(['--port', '0', '--data', folder, '--storage', storage, '--allow-volatile', '--admin', `${admin.name}:${admin.password}`])
    client = new HttpClient(await server.started, admin)
  }

  const put = async id => {
    const { status, body: answer } = await client.request('PUT', `/db/${id}`, body())
    if (status !== 201) refused.push({ id, status, answer })
    return answer.rev
  }

  /** Writes until five were refused. @returns {Promise<Map<string, string>>} revisions by id */
  const writeUntilFull = async () => {
    const acknowledged = new Map()
    for (let i = 0; refused.length < 5; i++) {
      const rev = await put(`a${i}`)
      if (rev !== undefined) acknowledged.set(`a${i}`, rev)
    }
    for (const { status, answer } of refused) assert.deepEqual([status, answer], [507, { error: 'insufficient_storage', reason: 'The storage is full' }])
    return acknowledged
  }

  const stored = async () => new Map((await client.ask('GET', '/db/_all_docs')).rows.map(({ id, value }) => [id, value.rev]))

  it('LevelDB refuses writes, says so to load balancers, and goes on by itself once there is room', async () => {
    await start('classic-level')
    await client.ask('PUT', '/db')
    disk.fill(2 ** 20)
    const acknowledged = await writeUntilFull()
    assert.deepEqual((await client.request('GET', '/_up')), { status: 503, body: { status: 'full', reason: 'The storage is full' } })
    assert.deepEqual(await stored(), acknowledged)
    assert.equal((await client.request('POST', '/db/_bulk_docs', { docs: [body()] })).status, 507)
    disk.empty()
    let rev
    while (rev === undefined) {
      rev = await put('later')
      await sleep(100)
    }
    acknowledged.set('later', rev)
    assert.deepEqual((await client.request('GET', '/_up')), { status: 200, body: { status: 'ok', seeds: {} } })
    for (let i = 0; i < 100; i++) acknowledged.set(`b${i}`, (await client.ask('PUT', `/db/b${i}`, body())).rev)
    assert.deepEqual(await stored(), acknowledged)
    await server.end('SIGKILL')
    await start('classic-level')
    assert.deepEqual(await stored(), acknowledged)
    const { update_seq: updateSeq } = await client.ask('GET', '/db')
    assert.equal(parseInt(updateSeq), acknowledged.size)
  })

  it('LevelDB finds out about room when it is asked whether it is up', async () => {
    await start('classic-level')
    await client.ask('PUT', '/db')
    disk.fill(2 ** 20)
    await writeUntilFull()
    disk.empty()
    let status
    while (status !== 200) {
      ({ status } = await client.request('GET', '/_up'))
      await sleep(100)
    }
    await client.ask('PUT', '/db/later', body())
  })

  it('a pool takes deletions, and compaction makes room', async () => {
    await start('pmem')
    await client.ask('PUT', '/db')
    disk.fill(2 ** 20)
    const acknowledged = await writeUntilFull()
    assert.deepEqual((await client.request('GET', '/_up')).status, 503)
    const victims = [...acknowledged].slice(0, 20)
    for (const [id, rev] of victims) await client.ask('DELETE', `/db/${id}?rev=${rev}`)
    for (const [id, rev] of [...acknowledged].slice(20, 40)) await client.ask('POST', '/db/_bulk_docs', { docs: [{ _id: id, _rev: rev, _deleted: true }] })
    for (let i = 40; i < 240; i += 20) await client.ask('POST', '/db/_purge', Object.fromEntries([...acknowledged].slice(i, i + 20).map(([id, rev]) => [id, [rev]])))
    await client.ask('POST', '/db/_compact')
    while ((await client.ask('GET', '/db')).compact_running) await sleep(50)
    await client.ask('PUT', '/db/later', body())
    assert.deepEqual((await client.request('GET', '/_up')).status, 200)
  })

  for (const bytes of [200_000, 1_000_000, 4_000_000]) {
    it(`a pool takes deletions of documents of ${bytes} bytes, and what indexes make of them`, async () => {
      await start('pmem')
      await client.ask('PUT', '/db')
      await client.ask('PUT', '/db/_design/d', { views: { n: { map: 'function (doc) { emit(doc._id, 1) }', reduce: '_sum' } } })
      const count = async () => (await client.ask('GET', '/db/_design/d/_view/n')).rows.map(({ value }) => value)
      const revs = []
      for (let less = bytes; less > 200; less = less >> 2) {
        const text = 'x'.repeat(less)
        for (let status = 201; status === 201;) {
          const answer = await client.request('PUT', `/db/${revs.length}`, { text })
          status = answer.status
          if (status === 201) revs.push(answer.body.rev)
        }
        await count()
      }
      const marks = revs.map((_rev, i) => ({ _id: String(i), _rev, _deleted: true })).slice(0, Math.floor(16_000_000 / bytes))
      const half = marks.length >> 1
      for (const { _id, _rev } of marks.slice(0, half)) await client.ask('DELETE', `/db/${_id}?rev=${_rev}`)
      assert.deepEqual(await count(), [revs.length - half])
      const results = await client.ask('POST', '/db/_bulk_docs', { docs: marks.slice(half) })
      assert.deepEqual(results.map(({ ok }) => ok), results.map(() => true))
      assert.deepEqual(await count(), [revs.length - marks.length])
      await client.ask('POST', '/db/_compact')
      while ((await client.ask('GET', '/db')).compact_running) await sleep(50)
      for (let i = 0; i < half; i++) await client.ask('PUT', `/db/later-${i}`, { text: 'y'.repeat(bytes) })
      await server.end('SIGKILL')
      await start('pmem')
      assert.deepEqual(await count(), [revs.length - marks.length + half])
    })
  }

  for (const storage of ['classic-level', 'pmem']) {
    it(`takes all of a transaction or nothing, on ${storage}`, async () => {
      await start(storage)
      await client.ask('PUT', '/db')
      let rev = (await client.ask('PUT', '/db/count', { n: 0 })).rev
      disk.fill(2 ** 20)
      const idsOf = number => Array.from({ length: 10 }, (_, i) => `t${number}-${i}`)
      /** Writes ten documents, one with an attachment, and counts them in another. */
      const transact = async number => {
        const ids = idsOf(number)
        const writes = ids.map(_id => ({ _id, ...body() }))
        writes[9]._attachments = { f: { data: randomBytes(20_000).toString('base64') } }
        const answer = await client.request('POST', '/db/_transact', { reads: ids.map(id => ({ id, rev: null })), writes: [...writes, { _id: 'count', _rev: rev, n: number }] })
        if (answer.status === 201) rev = answer.body[10].rev
        return answer
      }
      const facts = async () => {
        const { update_seq: updateSeq, sizes: { external } } = await client.ask('GET', '/db')
        return [[...await stored()], (await client.ask('GET', '/db/count')).n, parseInt(updateSeq), external]
      }
      let taken = 0
      while ((await transact(taken + 1)).status === 201) taken++
      const before = await facts()
      assert.deepEqual(before[0].map(([id]) => id), ['count', ...Array.from({ length: taken }, (_, i) => idsOf(i + 1)).flat()].sort())
      assert.deepEqual(before.slice(1, 3), [taken, 1 + 11 * taken])
      for (let i = 0; i < 5; i++) {
        const { status, body: answer } = await transact(taken + 1)
        assert.deepEqual([status, answer], [507, { error: 'insufficient_storage', reason: 'The storage is full' }])
        assert.deepEqual(await facts(), before)
      }
      await server.end('SIGKILL')
      disk.empty()
      await start(storage)
      assert.deepEqual(await facts(), before)
      assert.equal((await transact(taken + 1)).status, 201)
      assert.equal((await client.ask('GET', '/db/count')).n, taken + 1)
    })
  }

  it('a database is deleted from a full pool', async () => {
    await start('pmem')
    await client.ask('PUT', '/db')
    await client.ask('PUT', '/other')
    disk.fill(2 ** 20)
    await writeUntilFull()
    await client.ask('DELETE', '/db')
    await client.ask('PUT', '/other/later', body())
  })
})
