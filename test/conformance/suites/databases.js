'use strict'

const assert = require('node:assert/strict')
const { Databases } = require('@potoroo/document-store')
const { codeOf, numbered } = require('../pages')

module.exports = (context) => describe('databases', () => {
  let databases

  beforeEach(async () => {
    databases = await Databases.open(context.level, { prefix: 'dbs/' })
  })

  afterEach(() => databases.close())

  it('are made, found, listed and dropped', async () => {
    const names = ['b', 'a', '_users', 'é', '\u{1F98A}', '\uff5e', 'x/y z']
    for (const name of names) await databases.create(name)
    assert.deepEqual(databases.list(), [...names].sort((x, y) => Buffer.compare(Buffer.from(x), Buffer.from(y))))
    assert.equal(databases.has('a'), true)
    assert.equal((await databases.get('é')).name, 'é')
    await databases.destroy('a')
    assert.equal(databases.has('a'), false)
    assert.equal(await codeOf(databases.get('a')), 'NO_DATABASE')
    assert.equal(await codeOf(databases.destroy('a')), 'NO_DATABASE')
  })

  it('are made once', async () => {
    const outcomes = await Promise.all([1, 2, 3].map(() => codeOf(databases.create('a').then(() => 'made'))))
    assert.deepEqual(outcomes.sort(), ['DATABASE_EXISTS', 'DATABASE_EXISTS', 'no error: "made"'])
    for (const name of ['', null, '\ud800']) assert.equal(await codeOf(databases.create(name)), 'ILLEGAL_DATABASE_NAME')
  })

  it('are shared while open', async () => {
    const made = await databases.create('a')
    assert.equal(await databases.get('a'), made)
    await made.close()
    const next = await databases.get('a')
    assert.notEqual(next, made)
    const closing = next.close()
    assert.equal((await databases.get('a')).closed, false)
    await closing
  })

  it('keep what they are made with', async () => {
    const store = await databases.create('a', { meta: { security: { admins: {} } } })
    assert.deepEqual(await store.getMeta('security'), { admins: {} })
    assert.equal(await store.getMeta('other'), undefined)
  })

  it('are there after opening again', async () => {
    const { instanceId } = await databases.create('a')
    await (await databases.get('a')).write(numbered(3))
    await databases.create('dropped')
    await databases.destroy('dropped')
    await databases.close()
    await context.store.close()
    if (context.reopen) await context.reopen()
    databases = await Databases.open(context.level, { prefix: 'dbs/' })
    assert.deepEqual(databases.list(), ['a'])
    const store = await databases.get('a')
    assert.equal(store.instanceId, instanceId)
    assert.equal((await store.info()).docCount, 3)
  })

  it('leave nothing when dropped, and are new when made again', async () => {
    const store = await databases.create('a')
    await store.write(numbered(10))
    const destroyed = new Promise((resolve) => store.once('destroy', resolve))
    await store.destroy()
    await destroyed
    assert.deepEqual(await context.level.keys({ gte: 'dbs/b', lt: 'dbs/c' }).all(), [])
    assert.deepEqual(databases.list(), [])
    const next = await databases.create('a')
    assert.notEqual(next.instanceId, store.instanceId)
    assert.equal((await next.info()).docCount, 0)
  })

  it('that were dropped halfway are cleared at the next opening', async () => {
    const store = await databases.create('a')
    await store.write(numbered(10))
    await databases.close()
    const number = await context.level.get('dbs/na')
    await context.level.batch([{ type: 'del', key: 'dbs/na' }, { type: 'put', key: `dbs/x${number}`, value: '' }])
    databases = await Databases.open(context.level, { prefix: 'dbs/' })
    assert.deepEqual(databases.list(), [])
    assert.deepEqual(await context.level.keys({ gte: 'dbs/b', lt: 'dbs/c' }).all(), [])
    assert.deepEqual(await context.level.keys({ gte: 'dbs/x', lt: 'dbs/y' }).all(), [])
  })

  it('tell of their making, changes and end', async () => {
    const events = []
    for (const event of ['created', 'updated', 'deleted']) databases.on(event, (name) => events.push(`${event} ${name}`))
    const store = await databases.create('a')
    await store.put({ _id: 'x' })
    await store.putLocal({ _id: '_local/x' })
    await databases.destroy('a')
    assert.deepEqual(events, ['created a', 'updated a', 'deleted a'])
  })

  it('are not gone before whoever drops them hears of it', async () => {
    const store = await databases.create('a')
    const heard = []
    const dropped = databases.destroy('a').then(() => heard.push('dropped'))
    while (databases.has('a')) await null
    const asked = Promise.all([codeOf(databases.get('a')), databases.settled('a')]).then(([code]) => heard.push(code))
    await Promise.all([dropped, asked])
    assert.deepEqual(heard, ['dropped', 'NO_DATABASE'])
    assert.equal(store.closed, true)
    await databases.settled('a')
  })

  it('are gone without waiting for what is dropped after them', async () => {
    await databases.create('a')
    const other = await databases.create('b')
    const dropped = [databases.destroy('a'), databases.destroy('b')]
    while (databases.has('a')) await null
    const asked = codeOf(databases.get('a'))
    // It is not closed before the answer is there.
    other.indexSpace.hold(() => asked)
    await Promise.all(dropped)
    assert.equal(await asked, 'NO_DATABASE')
  })

  it('finish pending writes before they go', async () => {
    const store = await databases.create('a')
    const writes = numbered(20).map((doc) => store.put(doc))
    await databases.destroy('a')
    assert.ok((await Promise.all(writes)).every(({ ok }) => ok))
    assert.deepEqual(await context.level.keys({ gte: 'dbs/b', lt: 'dbs/c' }).all(), [])
  })

  it('refuse everything once closed', async () => {
    const store = await databases.create('a')
    await databases.close()
    assert.equal(store.closed, true)
    assert.equal(await codeOf(databases.get('a')), 'CLOSED')
    assert.equal(await codeOf(databases.create('b')), 'CLOSED')
  })
})
