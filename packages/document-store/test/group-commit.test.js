'use strict'

const assert = require('node:assert/strict')
const { MemoryLevel } = require('memory-level')
const { DocumentStore } = require('..')

/** A level that counts its batches, and can be full. */
class CountingLevel extends MemoryLevel {
  batches = 0
  full = null

  async _batch (operations, options) {
    this.batches++
    if (this.full !== null) throw this.full
    return super._batch(operations, options)
  }
}

const full = (code) => Object.assign(new Error('no room'), { code })

describe('group commit', () => {
  let level, store

  beforeEach(async () => {
    level = new CountingLevel()
    store = await DocumentStore.open(level)
    level.batches = 0
  })

  afterEach(() => store.close())

  const contents = async () => JSON.stringify(await level.iterator().all())

  it('shares one batch among writers that arrive together', async () => {
    await Promise.all([
      ...Array.from({ length: 100 }, (_, i) => store.put({ _id: String(i) })),
      store.putLocal({ _id: '_local/x' }), store.setMeta('a', 1)
    ])
    assert.equal(level.batches, 1)
  })

  it('shares the next batch among writers that arrive during one', async () => {
    const first = store.put({ _id: 'first' })
    await Promise.resolve()
    await Promise.resolve()
    const others = ['a', 'b', 'c'].map((_id) => store.put({ _id }))
    await Promise.all([first, ...others])
    assert.ok(level.batches <= 2)
    assert.equal(store.updateSeq, 4)
  })

  it('tells a writer of all or nothing before others, and of nothing that was refused', async () => {
    const told = []
    store.on('written', (written) => told.push(...written.map(({ id, rev }) => [id, rev])))
    const write = (name, docs, reads) => store.write(docs, { allOrNothing: true, reads, committed: (results) => told.push([name, ...results.map(({ rev }) => rev)]) })
    const [[{ rev }], refused, stale] = await Promise.allSettled([
      write('one', [{ _id: 'a' }]), write('two', [{ _id: 'b' }, { _id: 'a' }]), write('three', [{ _id: 'c' }], [{ id: 'a', rev: null }])
    ]).then((outcomes) => outcomes.map(({ value, reason }) => value ?? reason))
    assert.deepEqual([refused.map(({ code }) => code), stale.code], [['NOT_ALL', 'CONFLICT'], 'CONFLICT'])
    assert.deepEqual(told, [['one', rev], ['a', rev]])
  })

  it('is not stopped by what a writer does who is told', async () => {
    const listeners = process.listeners('uncaughtException')
    process.removeAllListeners('uncaughtException')
    const thrown = new Promise((resolve) => process.once('uncaughtException', resolve))
    const written = []
    store.on('written', ([{ id }]) => written.push(id))
    try {
      await store.write([{ _id: 'a' }], { allOrNothing: true, committed: () => { throw new Error('mine') } })
      assert.equal((await thrown).message, 'mine')
    } finally {
      for (const listener of listeners) process.on('uncaughtException', listener)
    }
    await store.put({ _id: 'b' })
    assert.deepEqual(written, ['a', 'b'])
  })

  it('shares one batch among transactions, refused ones too', async () => {
    const { rev } = await store.put({ _id: 'a' })
    level.batches = 0
    const outcomes = await Promise.allSettled([
      ...Array.from({ length: 50 }, (_, i) => store.transact({ reads: [{ id: 'a', rev }, { id: `t${i}`, rev: null }], writes: [{ _id: `t${i}` }, { _id: `u${i}` }] })),
      store.transact({ reads: [{ id: 'a', rev: null }], writes: [{ _id: 'no' }] }),
      store.transact({ writes: [{ _id: 'no' }, { _id: 'a' }] })
    ])
    assert.equal(level.batches, 1)
    assert.deepEqual(outcomes.filter(({ status }) => status === 'rejected').map(({ reason }) => reason.conflicts), [[{ id: 'a', rev }], [{ id: 'a', rev }]])
    assert.deepEqual([store.updateSeq, store.docCount], [101, 101])
  })

  it('writes no batch where there is nothing to write', async () => {
    await store.put({ _id: 'a' })
    const [conflict] = await store.write([{ _id: 'a' }])
    assert.equal(conflict.code, 'CONFLICT')
    await store.write([])
    assert.equal(level.batches, 1)
  })

  for (const [code, expected] of [['LEVEL_PMEM_FULL', 'NO_SPACE'], ['ENOSPC', 'NO_SPACE'], ['LEVEL_IO_ERROR', 'INTERNAL']]) {
    it(`tells every writer of a batch that failed with ${code}, and stays as it was`, async () => {
      const { rev } = await store.put({ _id: 'a' })
      const before = { text: await contents(), info: await store.info() }
      const heard = []
      store.on('commit', (seq) => heard.push(seq))
      level.full = full(code)
      const outcomes = await Promise.allSettled([
        store.put({ _id: 'b' }), store.put({ _id: 'a', _rev: rev, n: 2 }), store.putLocal({ _id: '_local/x' }),
        store.put({ _id: 'c', _attachments: { f: { data: 'aGk=' } } }), store.write([{ _id: 'a' }])
      ])
      assert.deepEqual(outcomes.map(({ reason }) => reason?.code), outcomes.map(() => expected))
      level.full = null
      assert.deepEqual({ text: await contents(), info: await store.info() }, before)
      assert.deepEqual(heard, [])
      assert.match((await store.put({ _id: 'a', _rev: rev, n: 2 })).rev, /^2-/)
      assert.equal(store.updateSeq, 2)
      assert.deepEqual(heard, [2])
    })
  }

  it('takes what only removes something where the level is full, and refuses what came with it', async () => {
    const { rev } = await store.put({ _id: 'a' })
    const { rev: second } = await store.put({ _id: 'b' })
    const { rev: replaced } = await store.put({ _id: 'f' })
    await store.put({ _id: 'f', _rev: replaced })
    await store.putLocal({ _id: '_local/x' })
    const taken = []
    const batch = level._batch
    level._batch = async function (operations, options) {
      taken.push(options.kept)
      if (options.kept === undefined) throw full('LEVEL_PMEM_FULL')
      return batch.call(this, operations, options)
    }
    const outcomes = await Promise.allSettled([
      store.put({ _id: 'c' }), store.put({ _id: 'a', _rev: rev, _deleted: true }), store.write([{ _id: 'b', _rev: second, _deleted: true }, { _id: 'd' }]),
      store.removeLocal({ _id: '_local/x', _rev: '0-1' }), store.put({ _id: 'e', _deleted: true, text: 'x'.repeat(2000) })
    ])
    assert.deepEqual(outcomes.map(({ reason }) => reason?.code), ['NO_SPACE', undefined, 'NO_SPACE', undefined, 'NO_SPACE'])
    assert.deepEqual(taken, [undefined, 'half'])
    assert.equal((await store.info()).docDelCount, 1)
    await store.setRetention({})
    await store.compact()
    await store.purge({ b: [second] })
    assert.deepEqual(taken.slice(2), [undefined, 'half', 'all', 'all'])
  })

  for (const [code, expected] of [['LEVEL_PMEM_FULL', 'NO_SPACE'], ['LEVEL_IO_ERROR', 'INTERNAL'], ['LEVEL_FENCED', 'NOT_OWNER'], ['LEVEL_UNAVAILABLE', 'UNAVAILABLE']]) {
    it(`tells who only removes something that it failed with ${code}: alone, and beside others`, async () => {
      const { rev } = await store.put({ _id: 'a' })
      await store.putLocal({ _id: '_local/x' })
      level.full = full(code)
      const remove = () => [store.put({ _id: 'a', _rev: rev, _deleted: true }), store.removeLocal({ _id: '_local/x', _rev: '0-1' }), store.purge({ a: [rev] })]
      const outcomes = [...await Promise.allSettled(remove()), ...await Promise.allSettled([store.put({ _id: 'b' }), ...remove()])]
      assert.deepEqual(outcomes.map(({ reason }) => reason?.code), outcomes.map(() => expected))
    })
  }

  it('says how to go on where not even a deletion has room', async () => {
    const { rev } = await store.put({ _id: 'a' })
    level.full = full('LEVEL_PMEM_FULL')
    await assert.rejects(store.put({ _id: 'b' }), { code: 'NO_SPACE', reason: 'The storage is full' })
    await assert.rejects(store.put({ _id: 'a', _rev: rev, _deleted: true }), { code: 'NO_SPACE', reason: /compact databases, purge documents, or give it more room$/ })
    level.full = full('ENOSPC')
    await assert.rejects(store.put({ _id: 'a', _rev: rev, _deleted: true }), { code: 'NO_SPACE', reason: 'The storage is full' })
  })

  it('drops what a deletion replaces only where the level is full, and only of what has a deletion', async () => {
    const { rev } = await store.put({ _id: 'a', n: 1 })
    const { rev: other } = await store.put({ _id: 'b', n: 1 })
    await store.put({ _id: 'b', _rev: other, n: 2 })
    const [deleted] = await store.write([{ _id: 'c' }])
    await store.put({ _id: 'c', _rev: deleted.rev, _deleted: true })
    const batch = level._batch
    level._batch = async function (operations, options) {
      if (options.kept === undefined) throw full('LEVEL_PMEM_FULL')
      return batch.call(this, operations, options)
    }
    const { rev: last } = await store.put({ _id: 'a', _rev: rev, _deleted: true })
    assert.deepEqual(await store.revsDiff({ a: [rev, last] }), {})
    await assert.rejects(store.get('a', { rev }), { code: 'MISSING' })
    assert.equal((await store.get('b', { rev: other })).body, '{"n":1}')
    assert.equal((await store.get('c', { rev: deleted.rev })).body, '{}')
  })

  it('has no bound in arguments: 200,000 revisions asked for, and as many partitions written to', async () => {
    await store.put({ _id: 'a' })
    const revs = Array.from({ length: 200000 }, (_, i) => `2-${i.toString(16).padStart(32, '0')}`)
    const { a } = await store.revsDiff({ a: revs })
    assert.deepEqual([a.missing.length, a.possible_ancestors.length], [200000, 1])
    const partitioned = await DocumentStore.open(new MemoryLevel(), { partitioned: true })
    const results = await partitioned.write(Array.from({ length: 200000 }, (_, i) => ({ _id: `${i}:x` })))
    assert.ok(results.every(({ ok }) => ok))
    await partitioned.close()
  })

  it('tells nobody what the level said: that names files', async () => {
    level.full = Object.assign(new Error('IO error: /secret/000003.log: Input/output error'), { code: 'LEVEL_IO_ERROR' })
    await assert.rejects(store.put({ _id: 'a' }), { code: 'INTERNAL', reason: 'The storage can no longer be read or written', cause: level.full })
    level.full = new Error('/secret/000003.log')
    await assert.rejects(store.put({ _id: 'a' }), { code: 'INTERNAL', reason: 'Internal server error' })
    level.full = null
  })

  it('removes an upload when its commit fails', async () => {
    async function * data () {
      yield Buffer.alloc(300000)
      await Promise.resolve()
    }
    const batch = level._batch
    level._batch = async function (operations, options) {
      if (operations.some(({ key }) => key.toString().startsWith('d'))) throw full('LEVEL_PMEM_FULL')
      return batch.call(this, operations, options)
    }
    await assert.rejects(store.put({ _id: 'a', _attachments: { f: { data: data() } } }), { code: 'NO_SPACE' })
    level._batch = batch
    assert.deepEqual((await level.keys().all()).filter((key) => /^[acu]/.test(key)), [])
  })
})
