'use strict'

const assert = require('node:assert/strict')
const { MemoryLevel } = require('memory-level')
const { DocumentStore } = require('@potoroo/document-store')
const { guard } = require('../lib/guarded-database')

describe('the database of users', () => {
  let store
  const seenBy = user => guard(store, user, {}, { iterations: 10 })

  beforeEach(async () => { store = await DocumentStore.open(new MemoryLevel(), { name: '_users' }) })
  afterEach(() => store.close())

  it('tells administrators alone what was purged', async () => {
    const { rev } = await store.put({ _id: 'org.couchdb.user:jan' })
    await store.purge({ 'org.couchdb.user:jan': [rev] })
    const [{ id }] = (await seenBy({ name: 'anna', roles: ['_admin'] }).purges()).purges
    assert.equal(id, 'org.couchdb.user:jan')
    await assert.rejects(seenBy({ name: 'jan', roles: [] }).purges(), { code: 'FORBIDDEN' })
  })
})
