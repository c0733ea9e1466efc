'use strict'

const assert = require('node:assert/strict')
const fc = require('fast-check')
const { ClassicLevel } = require('classic-level')
const fs = require('node:fs/promises')
const os = require('node:os')
const path = require('node:path')
const { MemoryLevel } = require('memory-level')
const { Databases, checkDatabases } = require('..')

/** One that waits for reads, and one that does not. */
const levels = {
  memory: async () => ({ level: new MemoryLevel(), remove: async () => {} }),
  classic: async () => {
    const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'potoroo-partitions-'))
    return { level: new ClassicLevel(folder), remove: () => fs.rm(folder, { recursive: true }) }
  }
}

for (const [kind, open] of Object.entries(levels)) {
  describe(`a partitioned database in ${kind}`, () => {
    let level, remove, databases, store
    let most = Infinity

    beforeEach(async () => {
      most = Infinity
      ;({ level, remove } = await open())
      databases = await Databases.open(level, { maxPartitionSize: () => most, sync: false })
      store = await databases.create('animals', { partitioned: true })
    })
    afterEach(async () => {
      await databases.close()
      assert.deepEqual(await collect(checkDatabases(level)), [])
      await level.close()
      await remove()
    })

    it('says so, also once it is opened again', async () => {
      assert.equal(store.partitioned, true)
      assert.equal((await databases.create('others')).partitioned, false)
      await store.close()
      assert.equal((await databases.get('animals')).partitioned, true)
    })

    it('takes ids that name a partition, design documents and local ones', async () => {
      for (const _id of ['a:1', 'a:b:c', 'ü:1', '_design/d', '_local/l']) await store.put({ _id })
      for (const [_id, code, reason] of [
        ['a', 'ILLEGAL_DOCID', 'Doc id must be of form partition:id'],
        [undefined, 'ILLEGAL_DOCID', 'Doc id must be of form partition:id'],
        [':1', 'ILLEGAL_PARTITION', 'Partition must not be empty'],
        ['a:', 'ILLEGAL_DOCID', 'Document id must not be empty'],
        ['a:_1', 'ILLEGAL_DOCID', 'Only reserved document ids may start with underscore.']
      ]) await assert.rejects(store.put({ _id }), { code, reason }, String(_id))
      await assert.rejects(store.get('a'), { code: 'ILLEGAL_DOCID' })
      await assert.rejects(store.get('a:2'), { code: 'MISSING' })
      const [one, other] = await store.write([{ _id: 'a' }, { _id: 'a:3' }])
      assert.equal(one.code, 'ILLEGAL_DOCID')
      assert.equal(other.ok, true)
    })

    it('counts each partition', async () => {
      const { rev } = await store.put({ _id: 'a:1', n: 1 })
      await store.write([{ _id: 'a:2' }, { _id: 'b:1', _attachments: { x: { content_type: 'text/plain', data: 'aGVsbG8=' } } }, { _id: '_design/d' }])
      const { docCount, docDelCount, sizes } = await store.partitionInfo('a')
      assert.deepEqual([docCount, docDelCount], [2, 0])
      assert.ok(sizes.active > sizes.external && sizes.external > 0)
      await store.put({ _id: 'a:1', _rev: rev, _deleted: true })
      const after = await store.partitionInfo('a')
      assert.deepEqual([after.docCount, after.docDelCount], [1, 1])
      assert.ok((await store.partitionInfo('b')).sizes.external >= 5)
      assert.deepEqual(await store.partitionInfo('none'), { partition: 'none', docCount: 0, docDelCount: 0, sizes: { active: 0, external: 0 } })
    })

    it('lists the documents of one', async () => {
      await store.write(['a:1', 'a:2', 'a!:1', 'a;:1', 'aa:1', 'b:1', 'b:2', 'b:3'].map(_id => ({ _id })))
      const ids = async options => (await collect((await store.allDocs({ partition: 'b', ...options })).rows)).flat().map(({ id }) => id)
      assert.deepEqual(await ids({}), ['b:1', 'b:2', 'b:3'])
      assert.deepEqual(await ids({ partition: 'a' }), ['a:1', 'a:2'])
      assert.deepEqual(await ids({ descending: true, limit: 2 }), ['b:3', 'b:2'])
      assert.deepEqual(await ids({ startkey: 'b:2' }), ['b:2', 'b:3'])
      assert.deepEqual(await ids({ startkey: 'a', endkey: 'b:1' }), ['b:1'])
      assert.deepEqual(await ids({ startkey: 'c' }), [])
      assert.deepEqual(await ids({ descending: true, startkey: 'b:2', endkey: 'a' }), ['b:2', 'b:1'])
    })

    it('refuses what makes a full partition larger', async () => {
      const { rev } = await store.put({ _id: 'a:1', text: 'x'.repeat(1000) })
      most = 500
      await assert.rejects(store.put({ _id: 'a:2' }), { code: 'PARTITION_FULL', status: 403, reason: 'Partition limit exceeded due to update on \'a:2\'' })
      await assert.rejects(store.put({ _id: 'a:1', _rev: rev, text: 'x'.repeat(2000) }), { code: 'PARTITION_FULL' })
      await store.put({ _id: 'b:1' })
      await store.put({ _id: '_design/d' })
      assert.equal((await store.write([{ _id: 'a:3', _rev: '1-aa', text: 'x'.repeat(2000) }], { newEdits: false }))[0].ok, true)
      await store.write([{ _id: 'a:3', _rev: '2-bb', _revisions: { start: 2, ids: ['bb', 'aa'] }, _deleted: true }], { newEdits: false })
      await store.put({ _id: 'a:1', _rev: rev, text: 'x' })
      await store.put({ _id: 'a:2' })
    })

    it('counts right after any writes', async () => {
      const operation = fc.record({ id: fc.constantFrom('a:1', 'a:2', 'b:1', 'c:ü'), text: fc.string(), what: fc.constantFrom('put', 'put', 'delete', 'conflict', 'purge') })
      await fc.assert(fc.asyncProperty(fc.array(operation, { maxLength: 25 }), async operations => {
        for (const { id, text, what } of operations) await perform(store, id, text, what)
        await store.compact()
      }), { numRuns: 10 })
    })
  })
}

async function perform (store, id, text, what) {
  const doc = await store.get(id).catch(() => null)
  if (what === 'purge' && doc !== null) await store.purge({ [id]: [doc.rev] })
  else if (what === 'conflict') await store.write([{ _id: id, _rev: `2-${Buffer.from(text).toString('hex') || 'aa'}`, text }], { newEdits: false })
  else await store.put({ _id: id, ...(doc && { _rev: doc.rev }), text, _deleted: what === 'delete' && doc !== null })
}

async function collect (iterable) {
  const all = []
  for await (const item of iterable) all.push(item)
  return all
}
