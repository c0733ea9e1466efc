'use strict'

const assert = require('node:assert/strict')
const { mkdtempSync, rmSync } = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { PmemLevel } = require('pmem-level')
const { DocumentStore } = require('..')
const { assertIntegrity } = require('./integrity')

const SIZE = 24 * 2 ** 20

describe('deletions in a pool that is full', () => {
  let folder, level, store

  beforeEach(async () => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'potoroo-full-'))
    await open()
  })

  afterEach(async () => {
    await level.close()
    rmSync(folder, { recursive: true })
  })

  const open = async () => {
    level = new PmemLevel(path.join(folder, 'level'), { maxSize: SIZE })
    store = await DocumentStore.open(level)
  }

  /** Puts documents until not even a small one has room. @returns {Promise<Array<{ id: string, rev: string }>>} those of `bytes` */
  const fill = async (bytes) => {
    const large = await putUntilFull('large', bytes)
    for (let less = bytes / 4; less >= 500; less /= 4) await putUntilFull(`of ${less}`, less)
    await assert.rejects(store.put({ _id: 'more', text: 'x'.repeat(1000) }), { code: 'NO_SPACE' })
    return large
  }

  const putUntilFull = async (name, bytes) => {
    const taken = []
    const text = 'x'.repeat(bytes)
    await assert.rejects(async () => {
      for (;;) taken.push(await store.put({ _id: `${name} ${taken.length}`, text }))
    }, { code: 'NO_SPACE' })
    return taken
  }

  const marks = (rows) => rows.map(({ id, rev }) => ({ _id: id, _rev: rev, _deleted: true }))

  for (const bytes of [200_000, 1_000_000, 4_000_000]) {
    it(`have room for documents of ${bytes} bytes, one by one and many at a time`, async () => {
      const rows = await fill(bytes)
      const half = rows.length >> 1
      const [first] = marks(rows)
      const { rev } = await store.put(first)
      assert.deepEqual(await store.revsDiff({ [first._id]: [rev, first._rev] }), {})
      for (const mark of marks(rows.slice(1, half))) await store.put(mark)
      const results = await store.write(marks(rows.slice(half)))
      assert.deepEqual(results.map(({ ok }) => ok), results.map(() => true))
      assert.equal((await store.info()).docDelCount, rows.length)
      await store.compact()
      for (let i = 0; i < half; i++) await store.put({ _id: `new ${i}`, text: 'y'.repeat(bytes) })
      await store.close()
      await assertIntegrity(level)
      await level.close()
      await open()
      assert.equal((await store.info()).docDelCount, rows.length)
      await assert.rejects(store.get(first._id), { code: 'DELETED' })
    })
  }

  it('keep what they replace as long as there is room', async () => {
    const { id, rev } = await store.put({ _id: 'a', text: 'x'.repeat(1_000_000) })
    await store.put({ _id: id, _rev: rev, _deleted: true })
    assert.equal((await store.get(id, { rev })).body.length, 1_000_011)
  })

  it('have room where versions are kept as well, once nothing is kept any more', async () => {
    await store.setRetention({ retain: '1y' })
    const [mark] = marks(await fill(1_000_000))
    await assert.rejects(store.put(mark), { code: 'NO_SPACE', reason: /purge documents/ })
    await store.setRetention({})
    await store.put(mark)
    await store.put({ _id: 'more', text: 'x'.repeat(100_000) })
  })
})
