'use strict'

const assert = require('node:assert/strict')
const { setTimeout } = require('node:timers/promises')
const { backoff, consecutiveCrashes } = require('../lib/jobs/job-history')
const { ADMIN, Server, until } = require('./support/server')

describe('the scheduler', function () {
  this.timeout(600_000)
  /** @type {Server} */
  let server
  afterEach(() => server?.close())

  it('lets more replications than may run at a time take turns', async () => {
    server = await Server.open({ max_jobs: 2, interval: 100, max_churn: 1 })
    const names = Array.from({ length: 5 }, (_, n) => `db${n}`)
    for (const name of names) {
      await server.fill(name, 3)
      await server.databases.create(`${name}-copy`)
      server.ask(name, { source: name, target: `${name}-copy`, continuous: true })
    }
    let most = 0
    const copied = async name => (await (await server.databases.get(`${name}-copy`)).info()).docCount === 3
    await until(async () => {
      most = Math.max(most, server.replicator.jobs().filter(({ pid }) => pid !== null).length)
      return (await Promise.all(names.map(copied))).every(Boolean)
    })
    assert.equal(most, 2)
    const histories = server.replicator.jobs().map(({ history }) => history.map(({ type }) => type))
    assert.ok(histories.filter(history => history.includes('stopped')).length >= 3, JSON.stringify(histories))
    const states = names.map(name => server.describe(name).state)
    assert.deepEqual([...new Set(states)].sort(), ['pending', 'running'])
  })

  it('runs all at once when it may', async () => {
    server = await Server.open({ max_jobs: 1, interval: 60000 })
    for (const name of ['a', 'b', 'c']) {
      await server.fill(name, 1)
      server.ask(name, { source: name, target: `${name}-copy`, create_target: true, continuous: true })
    }
    const running = () => server.replicator.jobs().filter(({ pid }) => pid !== null).length
    await until(() => running() === 1 && server.replicator.jobs().length === 3)
    server.settings = { max_jobs: 10 }
    await server.replicator.reschedule()
    assert.equal(running(), 3)
    server.settings = { max_jobs: 0 }
    await server.replicator.reschedule()
    assert.equal(running(), 0)
  })

  it('goes on from the checkpoint, with the counters of before', async () => {
    server = await Server.open({})
    const source = await server.fill('a', 10)
    const ask = () => server.replicator.replicate({ source: 'a', target: 'b', create_target: true }, ADMIN)
    const first = await ask()
    await source.put({ _id: 'new' })
    const second = await ask()
    assert.deepEqual([first.history[0].docs_written, second.history[0].docs_written, second.history[0].missing_checked], [10, 11, 11])
    assert.deepEqual(second.history.slice(1), first.history)
    assert.equal((await ask()).no_changes, true)
  })

  it('ends where a batch fails before the source has told all', async () => {
    server = await Server.open({})
    const source = await server.fill('a', 10)
    const target = await server.databases.create('b')
    const changes = source.changes.bind(source)
    source.changes = options => {
      const told = changes(options)
      return {
        get lastSeq () { return told.lastSeq },
        async * [Symbol.asyncIterator] () {
          await target.close()
          yield * told
          await setTimeout(50)
        }
      }
    }
    await assert.rejects(server.replicator.replicate({ source: 'a', target: 'b' }, ADMIN), { reason: 'the database was deleted or closed' })
  })

  it('reads no attachment again of a database that is closed', async () => {
    server = await Server.open({})
    const source = await server.databases.create('a')
    await source.put({ _id: 'd', _attachments: { f: { content_type: 'image/png', data: Buffer.alloc(1_000_000, 'x').toString('base64') } } })
    const target = await server.databases.create('b')
    const write = target.write.bind(target)
    let written = 0
    target.write = async (...args) => {
      written++
      await source.close()
      return write(...args)
    }
    await assert.rejects(server.replicator.replicate({ source: 'a', target: 'b' }, ADMIN), { reason: 'the database was deleted or closed' })
    assert.equal(written, 1)
  })

  it('lets a job that crashes rest, each time for twice as long', () => {
    assert.deepEqual([1, 2, 3, 11, 50].map(backoff), [30000, 60000, 120000, 30720000, 30720000])
    const crashed = at => ({ type: 'crashed', at })
    const started = at => ({ type: 'started', at })
    const added = { type: 'added', at: 0 }
    assert.equal(consecutiveCrashes([added], 120), 0)
    assert.equal(consecutiveCrashes([crashed(2), started(1), added], 120), 1)
    assert.equal(consecutiveCrashes([crashed(40000), started(35000), crashed(2000), started(1000), added], 120), 2)
    assert.equal(consecutiveCrashes([crashed(500000), started(35000), crashed(2000), started(1000), added], 120), 0, 'it ran for long enough')
    assert.equal(consecutiveCrashes([{ type: 'stopped', at: 9 }, started(8), crashed(2), started(1), added], 120), 0)
  })

  it('lets a job rest for as long, whatever somebody sets the clock to', async () => {
    server = await Server.open({})
    server.ask('x', { source: 'none', target: 'nor-this', continuous: true })
    const types = () => server.replicator.jobs().flatMap(({ history }) => history.map(({ type }) => type))
    await until(() => types()[0] === 'crashed')
    const { now } = Date
    try {
      Date.now = () => now() + 86_400_000
      await server.replicator.reschedule()
      await setTimeout(50)
      assert.deepEqual(types(), ['crashed', 'started', 'added'])
    } finally {
      Date.now = now
    }
  })

  it('remembers no more of a job than it is told to', async () => {
    server = await Server.open({ max_jobs: 1, interval: 1, max_churn: 1, max_history: 3 })
    for (const name of ['a', 'b']) {
      await server.fill(name, 1)
      server.ask(name, { source: name, target: `${name}-copy`, create_target: true, continuous: true })
    }
    await until(() => server.replicator.jobs().length === 2 && server.replicator.jobs().every(({ history }) => history.length === 3))
    for (const { history } of server.replicator.jobs()) assert.equal(history.length, 3)
  })

  it('keeps thousands of documents whose jobs wait', async () => {
    server = await Server.open({ max_jobs: 1, interval: 60000 })
    await server.fill('a', 1)
    for (let n = 0; n < 3000; n++) server.ask(`d${n}`, { source: 'a', target: `t${n}`, create_target: true, continuous: true })
    await until(() => server.describe('d2999').state === 'pending')
    assert.equal(server.replicator.jobs().length, 3000)
    for (let n = 0; n < 3000; n++) server.replicator.documents.removed('_replicator', `d${n}`)
    assert.equal(server.replicator.jobs().length, 0)
  })

  it('tells a document how it ended, and is done with it', async () => {
    server = await Server.open({})
    await server.fill('a', 2)
    server.ask('once', { source: 'a', target: 'b', create_target: true })
    await until(() => server.told.length === 1)
    const [{ _replication_state: state, _replication_stats: stats }] = server.told
    assert.deepEqual([state, stats.docs_written], ['completed', 2])
    assert.equal(server.describe('once'), null)
    server.ask('bad', { source: 'a' })
    assert.deepEqual(server.told[1], { database: '_replicator', id: 'bad', _replication_state: 'failed', _replication_stats: undefined, _replication_state_reason: 'Missing replicator database' })
  })

  it('has a document wait while the same replication runs without one', async () => {
    server = await Server.open({})
    await server.fill('a', 1)
    const { _local_id: id } = await server.replicator.replicate({ source: 'a', target: 'b', create_target: true, continuous: true }, ADMIN)
    server.ask('same', { source: 'a', target: 'b', create_target: true, continuous: true })
    await until(() => server.describe('same')?.state === 'error')
    assert.equal(server.describe('same').info.error, `Replication \`${id}\` specified by document \`same\` already running as a transient replication, started via \`_replicate\` API endpoint`)
  })

  it('has what a document asks for now wait for the end of what it asked for before', async () => {
    server = await Server.open({})
    const source = await server.fill('a', 1)
    server.databases.create('b')
    const asking = { source: 'a', target: 'b', continuous: true }
    server.ask('live', asking)
    const throughSeq = () => parseInt(server.describe('live').info?.through_seq, 10)
    await until(() => throughSeq() === 1)
    const release = server.hold()
    server.ask('live', { ...asking, checkpoint_interval: 10 })
    await source.put({ _id: 'new' })
    // Rounds enough for it to begin, if it did not wait.
    for (let round = 0; round < 100; round++) await new Promise(resolve => setImmediate(resolve))
    assert.equal(server.describe('live').info, null)
    release()
    await until(() => parseInt(server.describe('live').info?.checkpointed_source_seq, 10) === 2)
  })

  it('tells a document nothing of what it asked for before', async () => {
    server = await Server.open({})
    await server.fill('a', 2)
    const release = server.hold()
    server.ask('once', { source: 'a', target: 'b', create_target: true })
    await until(() => server.describe('once')?.info?.docs_written === 2)
    server.ask('once', { source: 'a', target: 'c', create_target: true })
    release()
    await until(() => server.told.length > 0)
    assert.deepEqual(server.told.map(({ _replication_state: state }) => state), ['completed'])
    assert.equal((await (await server.databases.get('c')).info()).docCount, 2)
  })

  it('tells nothing to a document that has just been written anew', async () => {
    server = await Server.open({})
    await server.fill('a', 2)
    server.ask('once', { source: 'a', target: 'b', create_target: true })
    server.asked.set('once', { _id: 'once', source: 'a', target: 'c', create_target: true })
    await until(() => server.replicator.jobs().length === 0 && server.describe('once').state === 'pending')
    server.ask('once', server.asked.get('once'))
    await until(() => server.told.length > 0)
    assert.equal((await (await server.databases.get('c')).info()).docCount, 2)
  })

  it('tells who waits for a replication that the server ends', async () => {
    server = await Server.open({ max_jobs: 0 })
    await server.fill('a', 1)
    const answer = server.replicator.replicate({ source: 'a', target: 'b', create_target: true }, ADMIN)
    await until(() => server.replicator.jobs().length === 1)
    server.replicator.close()
    await assert.rejects(answer, { error: 'replication_cancelled' })
  })

  it('runs with settings that leave it next to nothing', async () => {
    server = await Server.open({ max_history: 0, interval: Infinity, max_jobs: 1 })
    for (const name of ['a', 'b']) {
      await server.fill(name, 1)
      server.ask(name, { source: name, target: `${name}-copy`, create_target: true, continuous: true })
    }
    await until(() => server.describe('a').state === 'running')
    assert.equal(server.describe('b').state, 'pending')
    server.replicator.documents.removed('_replicator', 'a')
    await until(() => server.describe('b').state === 'running')
  })
})
