'use strict'

const assert = require('node:assert/strict')
const { branches, codeOf } = require('../pages')

const CHUNK = 256 * 1024
const base64 = (text) => Buffer.from(text).toString('base64')

module.exports = (context) => describe('attachments of revisions', () => {
  const keys = async () => (await context.level.keys().all()).filter((key) => /^[acu]/.test(key)).length
  const textOf = async (id, name, rev) => String(await (await context.store.getAttachment(id, name, { rev })).read())
  const attached = (doc, attachments) => ({ ...doc, _attachments: Object.fromEntries(Object.entries(attachments).map(([name, text]) => [name, { data: base64(text) }])) })

  it('in conflict are each their own', async () => {
    const { store } = context
    const [one, two, both] = branches('a', '1-x 2-y', '1-x 2-z', '1-x 2-y 3-w')
    await store.write([attached(one, { f: 'one', same: 'same' }), attached(two, { f: 'two', same: 'same' })], { newEdits: false })
    assert.deepEqual([await textOf('a', 'f', '2-y'), await textOf('a', 'f', '2-z'), await textOf('a', 'f')], ['one', 'two', 'two'])
    assert.equal(await keys(), 6)
    const leaves = await store.openRevs('a', 'all', { attachments: true })
    assert.deepEqual(leaves.map(({ ok }) => String(ok.attachments.f.data)), ['two', 'one'])
    await store.compact()
    assert.equal(await textOf('a', 'f', '2-y'), 'one')
    await store.write([{ ...both, _attachments: { f: { stub: true } } }], { newEdits: false })
    assert.deepEqual([await textOf('a', 'f'), (await store.get('a')).attachments.same], ['one', undefined])
    await store.compact()
    assert.equal(await keys(), 6)
  })

  it('that lost are freed once their branch is deleted and compacted', async () => {
    const { store } = context
    const [one, two] = branches('a', '1-x', '1-y')
    await store.write([attached(one, { f: 'one' }), attached(two, { f: 'two' })], { newEdits: false })
    await store.put({ _id: 'a', _rev: '1-x', _deleted: true })
    assert.equal(await textOf('a', 'f', '1-x'), 'one')
    await store.compact()
    assert.equal(await codeOf(store.getAttachment('a', 'f', { rev: '1-x' })), 'MISSING')
    assert.equal(await textOf('a', 'f'), 'two')
    assert.equal(await keys(), 2)
  })

  it('of a deleted document are there for its revision, and those of a tombstone stay', async () => {
    const { store } = context
    const first = await store.put(attached({ _id: 'a' }, { f: 'one' }))
    const second = await store.put(attached({ _id: 'a', _rev: first.rev, _deleted: true }, { g: 'two' }))
    assert.equal(await codeOf(store.getAttachment('a', 'f')), 'DELETED')
    assert.deepEqual([await textOf('a', 'f', first.rev), await textOf('a', 'g', second.rev)], ['one', 'two'])
    await store.compact()
    assert.equal(await codeOf(store.getAttachment('a', 'f', { rev: first.rev })), 'MISSING')
    assert.equal(await textOf('a', 'g', second.rev), 'two')
    await store.put(attached({ _id: 'a' }, { h: 'three' }))
    await store.compact()
    assert.equal(await textOf('a', 'h'), 'three')
    assert.equal(await keys(), 2)
  })

  it('may have any name', async () => {
    const { store } = context
    const names = ['dir/file.txt', '../up', 'constructor', 'ünï \u{1f998}', ' ', '"\\\r\n\0', 'x'.repeat(100000), '7', 'toString']
    const { rev } = await store.put(attached({ _id: 'a' }, Object.fromEntries(names.map((name) => [name, name]))))
    for (const name of names) assert.equal(await textOf('a', name), name)
    assert.deepEqual(Object.keys((await store.get('a')).attachments).sort(), [...names].sort())
    for (const name of ['', '_f', '__proto__', '\ud800']) {
      assert.equal(await codeOf(store.putAttachment('a', name, { contentType: 'x/y', data: Buffer.alloc(1) }, { rev })), 'BAD_REQUEST')
    }
    await store.removeAttachment('a', 'constructor', { rev })
    assert.equal(await codeOf(store.getAttachment('a', 'constructor')), 'MISSING_ATTACHMENT')
    assert.equal(await textOf('a', 'toString'), 'toString')
  })

  it('may be thousands', async () => {
    const { store } = context
    const count = 10000
    const names = Array.from({ length: count }, (_, i) => `f${i}`)
    const first = await store.put({ _id: 'a', _attachments: Object.fromEntries(names.map((name) => [name, { data: Buffer.from(name) }])) })
    assert.equal(await keys(), 2 * count)
    const stubs = Object.fromEntries(names.map((name) => [name, { stub: true }]))
    await store.put({ _id: 'a', _rev: first.rev, n: 2, _attachments: stubs })
    assert.equal(Object.keys((await store.get('a')).attachments).length, count)
    assert.equal(await textOf('a', 'f9999'), 'f9999')
    const { attachments } = await store.get('a', { attachments: true })
    assert.ok(names.every((name) => String(attachments[name].data) === name))
    await store.compact()
    assert.equal(await keys(), 2 * count)
  })

  it('are read whole while others replace them', async () => {
    const { store } = context
    store.autoCompaction = true
    const content = (n) => Buffer.concat([Buffer.alloc(CHUNK, n), Buffer.alloc(10, n)])
    let { rev } = await store.put({ _id: 'a', n: 0, _attachments: { f: { data: content(0) } } })
    const reading = Array.from({ length: 20 }, async (_, i) => {
      for (let turn = 0; turn < i; turn++) await null
      const { body, attachments } = i % 2 === 0 ? await store.get('a', { attachments: true }) : (await store.bulkGet([{ id: 'a' }], { attachments: true }))[0].ok
      assert.ok(attachments.f.data.equals(content(JSON.parse(body).n)))
    })
    for (let n = 1; n < 10; n++) rev = (await store.put({ _id: 'a', _rev: rev, n, _attachments: { f: { data: content(n) } } })).rev
    await Promise.all(reading)
    assert.equal(await keys(), 3)
  })

  it('are not the memory of who wrote or reads them', async () => {
    const { store } = context
    const data = Buffer.from('kept')
    await store.put({ _id: 'a', _attachments: { f: { data } } })
    data.fill(0)
    const read = await (await store.getAttachment('a', 'f')).read()
    assert.equal(String(read), 'kept')
    read.fill(0)
    ;(await store.get('a', { attachments: true })).attachments.f.data.fill(0)
    assert.equal(await textOf('a', 'f'), 'kept')
  })
})
