'use strict'

const assert = require('node:assert/strict')
const { MemoryLevel } = require('memory-level')
const { DocumentStore } = require('..')

const COUNT = 600

/** UTF-16 units of documents that one reader may hold, except for the first few. */
const MOST = 160_000

const ids = Array.from({ length: COUNT }, (_, i) => `d${String(i).padStart(3, '0')}`)

/** Collects the rows of each page. */
async function pagesOf (pages) {
  const lengths = []
  for await (const page of pages) lengths.push(page.length)
  return lengths
}

describe('readers that may be slow', () => {
  let large
  let small

  before(async () => {
    large = await filled('x'.repeat(2000))
    small = await filled('x')
  })
  after(() => Promise.all([large.close(), small.close()]))

  async function filled (text) {
    const store = await DocumentStore.open(new MemoryLevel())
    await store.write(ids.map(_id => ({ _id, text })))
    return store
  }

  const readers = {
    'a range of documents': async store => (await store.allDocs({ includeDocs: true })).rows,
    'documents by key': async store => (await store.allDocs({ keys: ids, includeDocs: true })).rows,
    'changes with documents': async store => store.changes({ includeDocs: true })
  }

  for (const [what, read] of Object.entries(readers)) {
    it(`hold few large documents of ${what} at a time`, async () => {
      const lengths = await pagesOf(await read(large))
      assert.equal(lengths.reduce((sum, length) => sum + length), COUNT)
      assert.ok(Math.max(...lengths) * 2000 <= MOST, `${lengths}`)
    })

    it(`hold many small documents of ${what} at a time`, async () => {
      const lengths = await pagesOf(await read(small))
      assert.equal(lengths.reduce((sum, length) => sum + length), COUNT)
      assert.ok(Math.max(...lengths) >= 256, `${lengths}`)
    })
  }
})
