'use strict'

const assert = require('node:assert/strict')
const { MemoryLevel } = require('memory-level')
const { serve } = require('..')
const { Service } = require('../lib/service/service')
const { threadsFor } = require('../lib/workers/http-threads')
const { OwnerOnlyError } = require('../lib/workers/owner-only-error')
const { OWNERS, ThreadService } = require('../lib/workers/thread-service')

describe('the service of a thread', () => {
  it('has each member of Service, or says that the owner has it', async () => {
    const service = await Service.open({ storage: 'memory', onFirstAdmin () {} })
    const level = new MemoryLevel()
    const thread = new ThreadService({ level, sections: {}, version: 0, shared: new Int32Array(2), counts: service.counts, write () {} })
    const members = new Set([...Object.keys(service), ...Object.getOwnPropertyNames(Service.prototype), ...Object.keys(Object.getOwnPropertyDescriptors(service))])
    assert.deepEqual([...members].filter(name => !OWNERS.includes(name) && !(name in thread)), [])
    for (const name of OWNERS) assert.throws(() => thread[name], OwnerOnlyError, name)
    thread.log.close()
    await service.close()
  })
})

describe('how many threads serve HTTP', () => {
  it('is what was asked for, or one for each core', () => {
    assert.deepEqual([threadsFor(5, 2), threadsFor('auto', 1), threadsFor('auto', 2), threadsFor('auto', 3), threadsFor('auto', 64)], [5, 1, 2, 3, 8])
  })

  it('is one where the storage is not shared, without a word where nobody asked for more', async () => {
    for (const [workers, said] of [['auto', false], ['3', true]]) {
      const logged = []
      const server = await serve({ port: 0, storage: 'memory', config: { chttpd: { workers } }, admins: { admin: 'secret' }, log: text => logged.push(text) })
      const answer = await fetch(`${server.url}/_up`)
      assert.equal(answer.status, 200)
      await server.close()
      assert.equal(logged.join('').includes('HTTP is served from 1 thread'), said, logged.join(''))
    }
  })
})

describe('Where threads cannot share the storage', () => {
  it('one serves HTTP, and it says so', async () => {
    const logged = []
    const server = await serve({ port: 0, storage: 'memory', workers: 4, admins: { admin: 'secret' }, config: { chttpd_auth: { iterations: 10 } }, log: text => logged.push(text) })
    try {
      assert.equal((await fetch(server.url)).status, 200)
    } finally {
      await server.close()
    }
    assert.match(logged.join(''), /served from 1 thread and not from 4 workers: only the storage pmem/)
  })
})
