'use strict'

const assert = require('node:assert')
const { withServer } = require('./server')

describe('leases and fences', () => {
  const context = withServer()

  async function twoServers () {
    const prefix = `fence${Math.random().toString(36).slice(2)}`
    const one = await context.open({ prefix })
    const other = await context.open({ prefix })
    await one.leases.join({ id: 'one', address: 'http://one' })
    await other.leases.join({ id: 'other', address: 'http://other' })
    return { one, other }
  }

  it('give a name to one server, and say to others whose it is', async () => {
    const { one, other } = await twoServers()
    assert.deepStrictEqual(await one.leases.take('db:1', 'one'), { server: 'one', token: 1, address: 'http://one', taken: true })
    assert.deepStrictEqual(await one.leases.take('db:1', 'one'), { server: 'one', token: 1, address: 'http://one', taken: true })
    assert.deepStrictEqual(await other.leases.take('db:1', 'other'), { server: 'one', token: 1, address: 'http://one', taken: false })
    const owners = await other.leases.owners()
    assert.deepStrictEqual([...owners], [['db:1', { server: 'one', token: 1, address: 'http://one', isAlive: true }]])
    assert.strictEqual((await other.leases.owners(['db:2'])).size, 0)
  })

  it('give it to one only of many that ask at the same time', async () => {
    const { one, other } = await twoServers()
    const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => i % 2 ? one.leases.take('db:1', 'one') : other.leases.take('db:1', 'other')))
    assert.strictEqual(new Set(answers.map(({ server, token }) => `${server} ${token}`)).size, 1)
  })

  it('pass it on when it is given back, when its server leaves, and when that is dead', async () => {
    const { one, other } = await twoServers()
    const { token } = await one.leases.take('db:1', 'one')
    assert.strictEqual(await one.leases.give('db:1', 'one', token), true)
    assert.strictEqual(await one.leases.give('db:1', 'one', token), false)
    const second = await other.leases.take('db:1', 'other')
    assert.ok(second.taken && second.token > token)
    await other.leases.leave('other')
    const third = await one.leases.take('db:1', 'one')
    assert.ok(third.taken && third.token > second.token)
    await other.leases.join({ id: 'other', address: 'http://other' })
    const fourth = await other.leases.take('db:1', 'other', { lifetime: 0 })
    assert.ok(fourth.taken && fourth.token > third.token)
  })

  it('give it to another server, which nobody else can take it from', async () => {
    const { one, other } = await twoServers()
    const { token } = await one.leases.take('db:1', 'one')
    const old = one.fenced({ name: 'db:1', token })
    await old.put('a', 'old')
    assert.strictEqual(await one.leases.give('db:1', 'one', token, 'other'), true)
    await assert.rejects(old.put('a', 'late'), { code: 'LEVEL_FENCED' })
    assert.strictEqual((await one.leases.take('db:1', 'one')).server, 'other')
    const taken = await other.leases.take('db:1', 'other')
    assert.ok(taken.taken && taken.token > token)
    // If that one is not there, anybody may have it.
    assert.strictEqual(await other.leases.give('db:1', 'other', taken.token, 'nobody'), true)
    assert.ok((await one.leases.take('db:1', 'one')).taken)
  })

  it('list the servers that live', async () => {
    const { one } = await twoServers()
    const servers = await one.leases.beat('one', { load: { databases: 3 } })
    assert.deepStrictEqual(servers.map(({ id, load }) => ({ id, load })), [{ id: 'one', load: { databases: 3 } }, { id: 'other', load: {} }])
    assert.deepStrictEqual((await one.leases.beat('one', { lifetime: 0 })).map(({ id }) => id), ['one'])
  })

  it('let an owner that was replaced write nothing', async () => {
    const { one, other } = await twoServers()
    const old = one.fenced({ name: 'db:1', token: (await one.leases.take('db:1', 'one')).token })
    await old.put('a', 'old')
    const fresh = other.fenced({ name: 'db:1', token: (await other.leases.take('db:1', 'other', { lifetime: 0 })).token })
    await assert.rejects(old.put('a', 'late'), { code: 'LEVEL_FENCED' })
    await assert.rejects(old.del('a'), { code: 'LEVEL_FENCED' })
    await assert.rejects(old.clear(), { code: 'LEVEL_FENCED' })
    await assert.rejects(old.batch(Array.from({ length: 25_000 }, (_, i) => ({ type: 'put', key: `k${i}`, value: 'late' }))), { code: 'LEVEL_FENCED' })
    assert.deepStrictEqual(await fresh.iterator().all(), [['a', 'old']])
    await fresh.put('a', 'fresh')
    assert.strictEqual(await one.get('a'), 'fresh')
    await assert.rejects(other.fenced({ name: 'none', token: 1 }).put('a', 'x'), { code: 'LEVEL_FENCED' })
  })

  it('let a write end before its owner is replaced, or not begin, wherever the two meet', async () => {
    const { one, other } = await twoServers()
    for (let round = 0; round < 100; round++) {
      const { token } = await one.leases.take('db:1', 'one', { lifetime: 0 })
      const old = one.fenced({ name: 'db:1', token })
      await old.open()
      const late = round % 2 ? () => old.put('a', String(round)) : () => old.batch([{ type: 'put', key: 'a', value: String(round) }, { type: 'del', key: 'b' }])
      const writing = Promise.resolve().then(late).then(() => true, error => {
        assert.strictEqual(error.code, 'LEVEL_FENCED')
        return false
      })
      await other.leases.take('db:1', 'other', { lifetime: 0 })
      // From here on nothing may change.
      const seen = await other.get('a')
      const written = await writing
      assert.strictEqual(await other.get('a'), seen)
      assert.strictEqual(seen === String(round), written)
      await old.close()
    }
  })
})
