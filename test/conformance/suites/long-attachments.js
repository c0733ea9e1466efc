'use strict'

const assert = require('node:assert/strict')
const { once } = require('node:events')
const { PassThrough } = require('node:stream')
const { setTimeout: after } = require('node:timers/promises')
const { Databases } = require('@potoroo/document-store')
const { codeOf } = require('../pages')

const CHUNK = 256 * 1024
const LONG = 40

/** `count` chunks, each other than the others. */
async function * chunks (count, seed = 0) {
  for (let i = 0; i < count; i++) {
    const chunk = Buffer.alloc(CHUNK, i % 7)
    chunk.writeUInt32LE(i)
    chunk.writeUInt32LE(seed, 4)
    yield chunk
  }
}

/** Sends more to a writer that should have let go, and waits until it has. */
async function goOn (source) {
  if (source.destroyed) return
  source.end(Buffer.alloc(2 * CHUNK))
  await once(source, 'close')
}

module.exports = (context) => describe('long attachments', () => {
  const keys = async () => (await context.level.keys().all()).filter((key) => /^(b\d+\/)?[acu]/.test(key))
  const putLong = (id, seed, extra) => context.store.put({ _id: id, ...extra, _attachments: { f: { data: chunks(LONG, seed) } } })

  it('that nothing refers to any more are removed whole', async () => {
    const { store } = context
    const { rev } = await putLong('a')
    await putLong('b', 1)
    assert.equal((await keys()).length, 2 * (LONG + 1))
    await store.put({ _id: 'a', _rev: rev, _deleted: true })
    await store.compact()
    assert.equal((await keys()).length, LONG + 1)
    assert.equal((await (await store.getAttachment('b', 'f')).read()).length, LONG * CHUNK)
  })

  it('that were there already leave one', async () => {
    await putLong('a')
    await putLong('b')
    await context.store.compact()
    assert.equal((await keys()).length, LONG + 1)
    await Promise.all([putLong('c', 2), putLong('d', 2)])
    await context.store.compact()
    assert.equal((await keys()).length, 2 * (LONG + 1))
    assert.equal((await (await context.store.getAttachment('d', 'f')).read()).length, LONG * CHUNK)
  })

  it('of a refused document are removed before it is told', async () => {
    await context.store.put({ _id: 'a' })
    assert.equal(await codeOf(putLong('a')), 'CONFLICT')
    assert.deepEqual(await keys(), [])
  })

  it('let others write while they come in and while they are read', async () => {
    const { store } = context
    let others = 0
    const end = new AbortController()
    const writing = (async () => {
      for (; !end.signal.aborted; others++) {
        await store.put({ _id: `other ${others}` })
        await new Promise(setImmediate)
      }
    })()
    await putLong('a')
    const during = others
    for await (const part of (await store.getAttachment('a', 'f')).stream()) assert.equal(part.length, CHUNK)
    end.abort()
    await writing
    assert.ok(during >= 3, `${during} writes meanwhile`)
    assert.ok(others - during >= 3, `${others - during} writes meanwhile`)
  })

  it('break off when the store closes, and the next one removes them', async () => {
    const { store } = context
    const source = new PassThrough()
    const writing = codeOf(store.put({ _id: 'a', _attachments: { f: { data: source } } }))
    for await (const chunk of chunks(3)) if (!source.write(chunk)) await once(source, 'drain')
    while ((await keys()).length < 3) await after(1)
    await store.close()
    assert.equal(await writing, 'CLOSED')
    const left = await keys()
    await goOn(source)
    assert.deepEqual(await keys(), left)
    assert.ok(left.length >= 3)
    await context.openStore()
    assert.deepEqual(await keys(), [])
  })

  it('do not outlive their database, nor write into the next one', async () => {
    await context.store.close()
    const databases = await Databases.open(context.level)
    const store = await databases.create('a')
    const source = new PassThrough()
    const writing = codeOf(store.put({ _id: 'a', _attachments: { f: { data: source } } }))
    for await (const chunk of chunks(3)) if (!source.write(chunk)) await once(source, 'drain')
    while ((await keys()).length < 3) await after(1)
    await databases.destroy('a')
    assert.equal(await writing, 'CLOSED')
    await databases.create('a')
    await goOn(source)
    assert.deepEqual(await keys(), [])
    await databases.close()
  })
})
