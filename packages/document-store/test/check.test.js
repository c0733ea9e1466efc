'use strict'

const assert = require('node:assert/strict')
const fc = require('fast-check')
const { MemoryLevel } = require('memory-level')
const { check, DocumentStore } = require('..')

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

async function problemsOf (entries, prefix) {
  const level = new MemoryLevel()
  await level.open()
  await level.batch(entries.map(([key, value]) => ({ type: 'put', key, value })), TEXT)
  const problems = []
  for await (const problem of check(level, { prefix })) problems.push(problem)
  return problems
}

/** What a database can be without. */
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
      for (const key of ['A', 'e', 'z', 'mdestroying', 'ux', 'tail'].map((letters) => prefix + letters)) {
        assert.ok((await problemsOf([...entries, [key, Buffer.from('1')]], prefix)).length > 0, key)
      }
    })
  }

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
  }).timeout(30000)
})
