'use strict'

const assert = require('node:assert/strict')
const { serve } = require('potoroo')
const { ask, until } = require('./support/ask')
const { MemoryEngine } = require('./support/memory-engine')

describe('a server that begins', () => {
  /** @param {any} level @param {{ secret?: string, log?: (text: string) => void }} [options] */
  const start = (level, { secret = 'a secret', log = () => {} } = {}) => serve({ port: 0, level, log, admins: { admin: 'secret' }, config: { chttpd_auth: { iterations: 10 }, cluster: { secret } } })

  it('waits where one that came after it has the catalogue', async () => {
    const level = new MemoryEngine().connect()
    const { leases } = level
    const { take } = leases
    leases.take = async () => {
      leases.take = take
      return { server: 'another', token: 1, taken: false }
    }
    const server = await start(level)
    assert.equal((await ask(server, 'PUT', '/db')).status, 201)
    await server.close()
  })

  it('is told of in the log where it has another secret', async () => {
    const engine = new MemoryEngine()
    let text = ''
    const first = await start(engine.connect(), { log: line => { text += line } })
    const second = await start(engine.connect(), { secret: 'another' })
    await until(() => ask(first, 'GET', '/_membership'), ({ body }) => body.all_nodes.length === 2)
    const names = Array.from({ length: 8 }, (_, i) => `db${i}`)
    for (const name of names) await ask(first, 'PUT', `/${name}`)
    const answers = await Promise.all(names.map(name => ask(first, 'GET', `/${name}`)))
    assert.deepEqual([...new Set(answers.map(({ status }) => status))].sort(), [200, 503])
    assert.equal(text.match(/cannot be reached/g)?.length, 1)
    await first.close()
    await second.close()
  })

  it('is no member where it fails', async () => {
    const engine = new MemoryEngine()
    const level = engine.connect()
    level.leases.take = async () => { throw new Error('No') }
    await assert.rejects(start(level), /No/)
    assert.equal(engine.servers.size, 0)
  })
})
