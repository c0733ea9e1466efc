'use strict'

const assert = require('node:assert/strict')
const fc = require('fast-check')
const { MemoryLevel } = require('memory-level')
const { check, checkDatabases, Databases, DocumentStore } = require('..')

const TEXT = { keyEncoding: 'utf8', valueEncoding: 'buffer' }

/** A database with something in each store. */
async function entriesOfDatabase (prefix) {
  const level = new MemoryLevel()
  const store = await DocumentStore.open(level, { prefix })
  const { rev } = await store.put({ _id: 'a', _attachments: { f: { data: Buffer.alloc(300000, 1) } } })
  await store.put({ _id: 'a', _rev: rev, second: true, _attachments: { g: { data: Buffer.from('g') } } })
  await store.write([
    { _id: 'a', _rev: '2-z', _revisions: { start: 2, ids: ['z', rev.slice(2)] }, text: 'é' },
    { _id: 'a', _rev: '1-y', _deleted: true }
  ], { newEdits: false })
  await store.put({ _id: 'b', _deleted: true, why: 'gone' })
  await store.putLocal({ _id: '_local/c', checkpoint: 1 })
  await store.setMeta('security', { admins: {} })
  await store.close()
  return level.iterator(TEXT).all()
}

async function problemsOf (entries, prefix, leftovers) {
  const level = new MemoryLevel()
  await level.open()
  await level.batch(entries.map(([key, value]) => ({ type: 'put', key, value })), TEXT)
  const problems = []
  for await (const problem of check(level, { prefix, onLeftover: (leftover) => leftovers?.push(leftover) })) problems.push(problem)
  return problems
}

/** Keys that a database can be without. */
const OPTIONAL = /^(muser:|l)/

describe('check', () => {
  for (const prefix of ['', 'b7/']) {
    const name = (key) => key.slice(prefix.length)

    it(`finds nothing wrong with a database at "${prefix}"`, async () => {
      assert.deepEqual(await problemsOf(await entriesOfDatabase(prefix), prefix), [])
    })

    it(`misses each record that is gone, at "${prefix}"`, async () => {
      const entries = await entriesOfDatabase(prefix)
      for (const entry of entries) {
        if (OPTIONAL.test(name(entry[0]))) continue
        const problems = await problemsOf(entries.filter((other) => other !== entry), prefix)
        assert.ok(problems.length > 0, entry[0])
      }
    })

    it(`finds each record too many, at "${prefix}"`, async () => {
      const entries = await entriesOfDatabase(prefix)
      for (const [key, value] of entries) {
        if (OPTIONAL.test(name(key))) continue
        const problems = await problemsOf([...entries, [key + '1', value]], prefix)
        assert.ok(problems.length > 0, key + '1')
      }
      for (const key of ['A', 'e', 'z', 'mother', 'tail', 'cx!a0'].map((letters) => prefix + letters)) {
        assert.ok((await problemsOf([...entries, [key, Buffer.from('1')]], prefix)).length > 0, key)
      }
    })
  }

  it('tells apart what a crash left and opening removes', async () => {
    const entries = await entriesOfDatabase('')
    const [chunk] = entries.filter(([key]) => key[0] === 'c')
    const used = chunk[0].slice(1, chunk[0].lastIndexOf('!'))
    const cases = [
      { left: ['ux', 'cx!a0', 'cx!a1', 'uy'], problems: 0, leftovers: 2 },
      { left: ['ux', 'cx!b00', 'cy!a0'], problems: 2, leftovers: 1 },
      { left: [`u${used}`], problems: 1, leftovers: 0 },
      { left: ['mdestroying', 'e', 'cy!a0'], problems: 0, leftovers: 1 }
    ]
    for (const { left, problems, leftovers } of cases) {
      const told = []
      const found = await problemsOf([...entries, ...left.map((key) => [key, Buffer.from('')])], '', told)
      assert.deepEqual([found.length, told.length], [problems, leftovers], `${left}: ${[...found, ...told]}`)
    }
  })

  it('takes a database that is there and marked as deleted for a problem', async () => {
    const level = new MemoryLevel()
    const databases = await Databases.open(level)
    await databases.create('a')
    await databases.close()
    for (const key of ['x1', 'b1/mdestroying']) {
      await level.put(key, '')
      const problems = []
      for await (const problem of checkDatabases(level)) problems.push(problem)
      assert.equal(problems.length, 1, key)
      await level.del(key)
    }
  })

  it('says that a record is garbled, and goes on', async () => {
    const entries = await entriesOfDatabase('')
    const garbled = fc.record({
      entry: fc.constantFrom(...entries.filter(([key]) => !OPTIONAL.test(key))),
      bytes: fc.oneof(fc.constant([]), fc.array(fc.nat(255)), fc.string().map((text) => [...Buffer.from(text)])),
      keep: fc.double({ min: 0, max: 1, noNaN: true })
    })
    await fc.assert(fc.asyncProperty(garbled, async ({ entry, bytes, keep }) => {
      const [key, value] = entry
      const changed = Buffer.concat([value.subarray(0, keep * value.length), Buffer.from(bytes)])
      fc.pre(!changed.equals(value))
      const problems = await problemsOf([...entries.filter((other) => other !== entry), [key, changed]], '')
      assert.ok(problems.length > 0, `${key}: ${changed}`)
    }), { numRuns: 300 })
  }).timeout(600_000)
})
