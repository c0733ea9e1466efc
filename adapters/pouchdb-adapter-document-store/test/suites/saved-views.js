'use strict'

const assert = require('node:assert/strict')
const { promisify } = require('node:util')

/** @param {import('../adapter-suite').Context} context */
module.exports = (context) => describe('views that are kept under a name', () => {
  let mapped
  let ask

  beforeEach(() => {
    const { db } = context
    mapped = []
    const map = (doc, emit) => {
      mapped.push(doc._id)
      emit(doc.n)
    }
    ask = async (options) => (await promisify(db._query)({ map }, { saveAs: 'numbers', ...options })).rows?.map(({ key }) => key)
    return db.bulkDocs([1, 2, 3].map((n) => ({ _id: `n${n}`, n })))
  })

  it('map each document once', async () => {
    const { db } = context
    assert.deepEqual(await ask({ startkey: 2 }), [2, 3])
    assert.deepEqual(await ask({ keys: [3, 1] }), [3, 1])
    await db.put({ _id: 'n4', n: 4 })
    assert.deepEqual(await ask({ descending: true, limit: 2 }), [4, 3])
    assert.deepEqual(mapped, ['n1', 'n2', 'n3', 'n4'])
  })

  it('may be stale', async () => {
    const { db } = context
    assert.deepEqual(await ask({ stale: 'ok' }), [])
    await ask()
    await db.put({ _id: 'n4', n: 4 })
    assert.deepEqual(await ask({ stale: 'ok' }), [1, 2, 3])
    assert.deepEqual(await ask(), [1, 2, 3, 4])
  })

  it('stay when views are cleaned up, until they are dropped by name', async () => {
    const { db } = context
    await ask()
    await ask({ saveAs: 'others' })
    await db.viewCleanup()
    mapped = []
    assert.deepEqual(await ask(), [1, 2, 3])
    assert.deepEqual(mapped, [])
    await ask({ destroy: true })
    assert.deepEqual(await ask(), [1, 2, 3])
    await ask({ saveAs: 'others' })
    assert.deepEqual(mapped, ['n1', 'n2', 'n3'])
  })
})
