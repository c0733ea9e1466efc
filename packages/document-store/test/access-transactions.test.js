'use strict'

const assert = require('node:assert/strict')
const fs = require('node:fs/promises')
const os = require('node:os')
const path = require('node:path')
const { ClassicLevel } = require('classic-level')
const { MemoryLevel } = require('memory-level')
const { DocumentStore, transact } = require('..')

for (const [name, open] of /** @type {Array<[string, (folder: string) => any]>} */ ([['in memory', () => new MemoryLevel()], ['on LevelDB', folder => new ClassicLevel(folder)]])) {
  describe(`a transaction of a member, ${name},`, () => {
    let folder, level, store, ann, bea

    beforeEach(async () => {
      folder = await fs.mkdtemp(path.join(os.tmpdir(), 'access-'))
      level = open(folder)
      store = await DocumentStore.open(level, { access: true })
      ann = store.forMember({ name: 'ann', roles: ['red'] })
      bea = store.forMember({ name: 'bea', roles: [] })
    })
    afterEach(async () => {
      await store.close()
      await level.close()
      await fs.rm(folder, { recursive: true })
    })

    const put = async (database, doc) => (await database.put(doc)).rev
    /** Gives ids that were written, or what changed. */
    const outcome = async (database, reads, writes = [], options = {}) => {
      try {
        return (await transact(database, { reads, writes }, options)).map(({ id }) => id)
      } catch (error) {
        if (error.code !== 'CONFLICT') return error.code
        return error.conflicts
      }
    }

    it('has read what the member sees', async () => {
      const mine = await put(ann, { _id: 'mine', _access: ['ann'] })
      const team = await put(store, { _id: 'team', _access: ['role:red', 'bea'] })
      const hers = await put(bea, { _id: 'hers', _access: ['bea'] })
      const gone = await put(bea, { _id: 'gone', _access: ['bea'] })
      const { rev: deleted } = await bea.put({ _id: 'gone', _rev: gone, _deleted: true })
      assert.deepEqual(await outcome(ann, [{ id: 'mine', rev: mine }, { id: 'team', rev: team }, { id: 'hers', rev: null }, { id: 'gone', rev: null }], [{ _id: 'x', _access: ['ann'] }]), ['x'])
      for (const [id, rev] of [['hers', hers], ['gone', deleted], ['none', hers]]) assert.deepEqual(await outcome(ann, [{ id, rev }]), [{ id, rev: null }])
      assert.deepEqual(await outcome(bea, [{ id: 'gone', rev: deleted }]), [])
      assert.deepEqual(await outcome(ann, [{ id: 'mine', rev: null }, { id: 'hers', rev: null }]), [{ id: 'mine', rev: mine }])
      await put(store, { _id: 'team', _rev: team, _access: ['bea'] })
      assert.deepEqual(await outcome(ann, [{ id: 'team', rev: team }]), [{ id: 'team', rev: null }])
      assert.deepEqual(await outcome(ann, [{ id: 'team', rev: null }]), [])
    })

    it('has read the winner, where another revision names the member', async () => {
      const branch = (rev, ...access) => ({ _id: 'a', _rev: rev, _revisions: { start: 2, ids: [rev.slice(2), 'r'] }, _access: access })
      await store.write([branch('2-b', 'bea'), branch('2-a', 'ann')], { newEdits: false })
      assert.deepEqual(await outcome(ann, [{ id: 'a', rev: '2-a' }]), [{ id: 'a', rev: null }])
      assert.deepEqual(await outcome(bea, [{ id: 'a', rev: '2-b' }]), [])
      await store.put({ _id: 'a', _rev: '2-b', _deleted: true })
      assert.deepEqual(await outcome(ann, [{ id: 'a', rev: '2-a' }]), [])
      assert.deepEqual(await outcome(bea, [{ id: 'a', rev: '2-a' }]), [{ id: 'a', rev: null }])
    })

    it('has read local documents of their own', async () => {
      const rev = await put(ann, { _id: '_local/x', n: 1 })
      assert.deepEqual(await outcome(ann, [{ id: '_local/x', rev }], [{ _id: '_local/x', _rev: rev }]), ['_local/x'])
      assert.deepEqual(await outcome(bea, [{ id: '_local/x', rev: null }]), [])
      assert.deepEqual(await outcome(bea, [{ id: '_local/x', rev: '0-2' }]), [{ id: '_local/x', rev: null }])
      assert.deepEqual(await outcome(ann, [{ id: '_local/x', rev: '0-1' }]), [{ id: '_local/x', rev: '0-2' }])
    })

    it('writes all or nothing, by the rules', async () => {
      const hers = await put(bea, { _id: 'hers', _access: ['bea'] })
      const own = { _id: 'own', _access: ['ann'] }
      assert.equal(await outcome(ann, [], [own, { _id: 'given', _access: ['bea'] }]), 'FORBIDDEN')
      assert.equal(await outcome(ann, [], [own, { _id: 'hers', _access: ['ann'] }]), 'FORBIDDEN')
      assert.deepEqual(await outcome(ann, [], [own, { _id: 'hers', _rev: hers, _access: ['ann'] }]), [{ id: 'hers', rev: null }])
      assert.deepEqual(await outcome(ann, [], [own, { _id: 'hers', _rev: hers, _deleted: true }]), [{ id: 'hers', rev: null }])
      assert.equal((await store.info()).docCount, 1)
      assert.deepEqual(await outcome(ann, [], [own, { _id: 'both', _access: ['ann', 'role:red'] }]), ['own', 'both'])
    })

    it('demands that nothing has appeared to them', async () => {
      await put(bea, { _id: 'before', _access: ['bea'], n: 1 })
      const since = store.updateSeq
      const unless = { since, matches: ({ n }) => n === 1 }
      const none = () => outcome(ann, [], [], { unless })
      assert.deepEqual(await none(), [])
      await store.write(Array.from({ length: 1500 }, (_, i) => ({ _id: `hers${i}`, _access: ['bea'], n: 1 })))
      await put(ann, { _id: 'other', _access: ['ann'], n: 2 })
      assert.deepEqual(await none(), [])
      const rev = await put(store, { _id: 'shared', _access: ['bea', 'role:red'], n: 1 })
      assert.deepEqual(await none(), [{ id: 'shared', rev }])
      assert.deepEqual(await outcome(ann, [{ id: 'shared', rev }], [], { unless }), [])
      await put(store, { _id: 'shared', _rev: rev, _access: ['bea'], n: 1 })
      assert.deepEqual(await none(), [])
    })
  })
}
