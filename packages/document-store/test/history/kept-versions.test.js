'use strict'

const assert = require('node:assert/strict')
const { MemoryLevel } = require('memory-level')
const { check, DatabaseReaders, Databases, DocumentStore, lossInWords, mend, restore, toObject } = require('../..')
const { assertIntegrity } = require('../integrity')

const DAY = 86_400_000

/** A store whose clock stands until it is told. */
async function open (level = new MemoryLevel(), options = {}) {
  const clock = { now: 1_700_000_000_000 }
  const store = await DocumentStore.open(level, { now: () => clock.now, ...options })
  return { level, store, clock }
}

async function edit (store, id, ...bodies) {
  let rev
  for (const body of bodies) rev = (await store.put({ _id: id, _rev: rev, ...body })).rev
  return rev
}

async function entriesOf (store, id, options) {
  const entries = []
  for await (const page of store.history(id, options)) entries.push(...page)
  return entries
}

/** Another handle of a level, as another thread has it. */
function handleOf (level) {
  return new Proxy(level, { get: (target, name) => typeof target[name] === 'function' ? target[name].bind(target) : target[name] })
}

const keysOf = async (level, letter) => (await level.keys({ gte: letter, lt: letter + '\uffff' }).all())

describe('time and user of the last change', () => {
  it('are told with a document, and of no other', async () => {
    const { store, clock } = await open()
    await store.put({ _id: 'a', x: 1 }, { user: { name: 'ö, "x" y', roles: [] } })
    assert.deepEqual((await store.get('a', { meta: true })).meta, { time: clock.now, user: 'ö, "x" y', seq: 1 })
    assert.equal((await store.get('a')).meta, undefined)
    clock.now += 5
    const rev = await edit(store, 'b', { x: 1 }, { x: 2 })
    await store.putAttachment('b', 'f', { contentType: 'text/plain', data: Buffer.from('x') }, { rev, user: { name: '' } })
    assert.deepEqual((await store.get('b', { meta: true })).meta, { time: clock.now, user: '', seq: 4 })
    assert.equal(toObject(await store.get('b', { meta: true }))._meta.time, new Date(clock.now).toISOString())
  })

  it('do not go back with the clock, now or after the database was opened again', async () => {
    const { level, store, clock } = await open()
    await store.put({ _id: 'a' })
    const before = clock.now
    clock.now -= DAY
    await store.put({ _id: 'b' })
    assert.equal((await store.get('b', { meta: true })).meta.time, before)
    await store.close()
    const again = await open(level, { now: () => clock.now })
    await again.store.put({ _id: 'c' })
    assert.equal((await again.store.get('c', { meta: true })).meta.time, before)
  })

  it('are not known of documents that layout 2 wrote, which stay readable', async () => {
    const { level, store, clock } = await open()
    await store.setRevsLimit(5)
    const rev = await edit(store, 'a', { n: 1 }, { n: 2 })
    await store.put({ _id: 'b', text: 'with spaces in it' })
    await store.close()
    const totals = (await level.get('mstate')).split(' ').slice(0, 9).map(Number)
    for (const [key, text] of await level.iterator({ gte: 'd', lt: 'e' }).all()) {
      const old = text.replace(/ [^ \n]*\n/, '\n')
      totals[3] -= text.length - old.length
      await level.put(key, old)
    }
    await level.put('mstate', totals.join(' '))
    await level.put('mdatabase', JSON.stringify({ ...JSON.parse(await level.get('mdatabase')), version: 2 }))
    const { store: again } = await open(level)
    assert.deepEqual((await again.get('a', { meta: true })).meta, { time: 0, user: null, seq: 2 })
    assert.deepEqual((await again.get('a', { revs: true })).revisions.start, 2)
    assert.equal(toObject(await again.get('b', { meta: true }))._meta.time, null)
    await assertIntegrity(level)
    clock.now += 10
    await again.setRetention({ retain: '1d' })
    await again.put({ _id: 'a', _rev: rev, n: 3 })
    assert.equal(JSON.parse((await again.get('a', { at: 2 })).body).n, 2)
    assert.equal(JSON.parse((await again.get('a', { at: again.retention.sinceTime })).body).n, 3)
    await assert.rejects(again.get('a', { at: again.retention.sinceTime - 1 }), { code: 'NOT_RETAINED' })
    await assertIntegrity(level)
  })
})

describe('versions that are kept', () => {
  it('are none where nobody asks for them', async () => {
    const { level, store } = await open()
    await edit(store, 'a', { n: 1 }, { n: 2 })
    assert.deepEqual(await keysOf(level, 'h'), [])
    await assert.rejects(store.get('a', { at: 1 }), { code: 'NOT_RETAINED' })
    await store.setRetention({ versions: 3 })
    await store.setRetention({})
    await edit(store, 'b', { n: 1 }, { n: 2 })
    assert.deepEqual(await keysOf(level, 'h'), [])
  })

  it('go when they have been replaced for longer than asked for, and not before', async () => {
    const { level, store, clock } = await open()
    await store.setRetention({ retain: '2d' })
    await edit(store, 'a', { n: 1 }, { n: 2 })
    clock.now += 2 * DAY
    await store.compact()
    assert.equal((await keysOf(level, 'h')).length, 1)
    assert.equal(JSON.parse((await store.get('a', { at: 1 })).body).n, 1)
    clock.now += 1
    await store.compact()
    assert.equal((await keysOf(level, 'h')).length, 0)
    await assert.rejects(store.get('a', { at: 1 }), { code: 'NOT_RETAINED' })
    assert.equal(store.retention.since, 2)
    await assertIntegrity(level)
  })

  it('go by automatic compaction, too', async () => {
    const { level, store, clock } = await open(undefined, { autoCompaction: true })
    await store.setRetention({ versions: 2 })
    const rev = await edit(store, 'a', { n: 1 }, { n: 2 }, { n: 3 }, { n: 4 })
    assert.equal((await keysOf(level, 'h')).length, 2)
    assert.equal((await keysOf(level, 'r')).length, 0)
    await store.setRetention({ retain: '1d' })
    clock.now += 2 * DAY
    await store.put({ _id: 'a', _rev: rev, n: 5 })
    assert.equal((await keysOf(level, 'h')).length, 1)
    await assertIntegrity(level)
  })

  it('go with the database\'s wish to keep any', async () => {
    const { level, store } = await open()
    await store.setRetention({ retain: '2d' })
    await edit(store, 'a', { n: 1, _attachments: { f: { data: Buffer.from('one') } } }, { n: 2 })
    await store.setRetention({ retain: null, versions: null })
    await store.compact()
    assert.deepEqual([await keysOf(level, 'h'), await keysOf(level, 'a')], [[], []])
    await assertIntegrity(level)
  })

  it('do not repeat a body where the winner stays', async () => {
    const { level, store } = await open()
    await store.setRetention({ retain: '2d' })
    await store.put({ _id: 'a', text: 'x'.repeat(1000) })
    await store.write([{ _id: 'a', _rev: '1-0' }], { newEdits: false })
    const [text] = await level.values({ gte: 'h', lt: 'i' }).all()
    assert.ok(text.length < 100)
    assert.equal((await store.get('a', { at: 1 })).body.length, 1011)
    const entries = await entriesOf(store, 'a')
    assert.deepEqual(entries.map(({ seq, patch }) => [seq, patch]), [[2, '[]'], [1, undefined]])
  })

  it('are in no answer once they are purged', async () => {
    const { level, store } = await open()
    await store.setRetention({ retain: '2d' })
    const { rev } = await store.put({ _id: 'a', secret: true, _attachments: { f: { data: Buffer.from('secret') } } })
    const next = await edit(store, 'b', { n: 1 })
    const last = (await store.put({ _id: 'a', _rev: rev, n: 2 })).rev
    await store.purge({ a: [last] })
    await assert.rejects(store.get('a', { at: 1 }), { code: 'MISSING' })
    assert.deepEqual((await level.values().all()).filter((value) => String(value).includes('secret')), [])
    assert.equal((await store.get('b', { at: 2 })).rev, next)
    await assertIntegrity(level)
  })

  it('refuse what is no duration, and no number', async () => {
    const { store } = await open()
    for (const limits of [{ retain: '1' }, { retain: 'd' }, { retain: 5 }, { versions: 0 }, { versions: '1' }, { other: 1 }, null, [], 'x']) {
      await assert.rejects(store.setRetention(limits), { code: 'BAD_REQUEST' })
    }
    assert.equal(store.retention, null)
  })

  it('are read by a Date, milliseconds, ISO 8601 with a zone, or a sequence', async () => {
    const { store, clock } = await open()
    await store.setRetention({ retain: '2d' })
    await edit(store, 'a', { n: 1 })
    const first = clock.now
    clock.now += 1000
    await store.put({ _id: 'a', _rev: (await store.get('a')).rev, n: 2 })
    const iso = new Date(first).toISOString()
    for (const at of [first, String(first), new Date(first), iso, iso.replace('.000Z', '+00:00'), iso.replace('.000Z', '+0000'), iso.replace('.000Z', '.5Z'), 1, '1']) {
      assert.equal(JSON.parse((await store.get('a', { at })).body).n, 1, String(at))
    }
    for (const at of [NaN, -1, 1.5, 'now', '', iso.slice(0, 19), '2023-02-31', '2023-02-29T00:00Z', '2023-13-01', new Date(NaN), {}, null, true]) {
      await assert.rejects(store.get('a', { at }), { code: 'BAD_REQUEST' }, String(at))
    }
  })

  it('are read by another thread as by the owner', async () => {
    const level = new MemoryLevel()
    const databases = await Databases.open(level)
    const store = await databases.create('db')
    const reader = new DatabaseReaders(handleOf(level)).get('db')
    const rev = await edit(store, 'a', { n: 1 })
    await assert.rejects(reader.get('a', { at: 1 }), { code: 'NOT_RETAINED' })
    await store.setRetention({ versions: 1 })
    await store.put({ _id: 'a', _rev: rev, n: 2 })
    assert.equal(JSON.parse((await reader.get('a', { at: 1 })).body).n, 1)
    const rows = []
    for await (const page of (await reader.allDocs({ at: 1, includeDocs: true })).rows) rows.push(...page)
    assert.deepEqual(rows.map(({ document }) => JSON.parse(document.body).n), [1])
    await databases.close()
  })

  it('are found among very many, by a time and by a sequence', async () => {
    const { level, store, clock } = await open()
    await store.setRetention({ retain: '2d' })
    const begin = clock.now
    const made = []
    const revs = {}
    // Keys of the other id lie between those of the first one.
    for (let n = 0; n < 300; n++) {
      clock.now += n % 3
      const id = n % 4 === 1 ? 'a\0b5' : 'a'
      revs[id] = (await store.put({ _id: id, _rev: revs[id], n })).rev
      made.push({ id, n, seq: store.updateSeq, time: clock.now })
    }
    const wanted = (id, isThen) => made.findLast((each) => each.id === id && isThen(each))?.n
    const found = (id, at) => store.get(id, { at }).then(({ body }) => JSON.parse(body).n, () => undefined)
    for (const id of ['a', 'a\0b5', 'a\0']) {
      for (let seq = 0; seq <= 300; seq++) assert.equal(await found(id, seq), wanted(id, (each) => each.seq <= seq), `${id} at ${seq}`)
      for (let time = begin; time <= clock.now; time++) assert.equal(await found(id, time), wanted(id, (each) => each.time <= time), `${id} at ${time}`)
    }
    await assertIntegrity(level)
  })

  it('are refused, and not left out, if they go while a list of them begins', async () => {
    for (const options of [{}, { keys: ['a', 'b'] }]) {
      const { store } = await open()
      await store.setRetention({ versions: 2 })
      const rev = await edit(store, 'a', { n: 1 }, { n: 2 })
      await store.put({ _id: 'b' })
      const { rows } = await store.allDocs({ at: 1, ...options })
      await edit(store, 'a', { _rev: rev, n: 3 })
      await store.setRetention({ versions: 1 })
      await store.compact()
      await assert.rejects(rows.next(), { code: 'NOT_RETAINED' })
      await store.close()
    }
  })

  it('are a patch each, which is never much longer than they are', async () => {
    const { store } = await open()
    await store.setRetention({ retain: '2d' })
    const nested = (n) => JSON.parse(`${`{"n":${n},"${'k'.repeat(90)}":`.repeat(1000)}1${'}'.repeat(1000)}`)
    const list = (n) => Array.from({ length: 10000 }, (_, i) => ({ n: n + i }))
    for (const [id, body] of Object.entries({ nested, list })) {
      await edit(store, id, { v: body(1) }, { v: body(2) })
      const [{ patch }] = await entriesOf(store, id)
      assert.ok(patch === `[{"op":"replace","path":"","value":${JSON.stringify({ v: body(2) })}}]`, patch.slice(0, 100))
    }
    await edit(store, 'small', { list: [1, { a: 1, b: 2 }, 3, 4], 'a/b~': 1, same: {} }, { list: [1, { a: 2 }], 'a/b~': [], same: {}, new: null })
    assert.deepEqual(JSON.parse((await entriesOf(store, 'small'))[0].patch), [
      { op: 'replace', path: '/a~1b~0', value: [] },
      { op: 'remove', path: '/list/3' }, { op: 'remove', path: '/list/2' }, { op: 'remove', path: '/list/1/b' },
      { op: 'replace', path: '/list/1/a', value: 2 },
      { op: 'add', path: '/new', value: null }
    ])
  })

  it('are restored as new revisions, which keep the content of attachments', async () => {
    const { level, store } = await open()
    await store.setRetention({ retain: '2d' })
    const big = Buffer.alloc(600_000, 'many bytes')
    const rev = await edit(store, 'a', { n: 1, _attachments: { f: { data: big }, 1: { data: Buffer.from('1') } } }, { n: 2 })
    const [result] = (await restore(store, 1, ['a']).next()).value
    assert.equal(result.ok, true)
    const { body, attachments, revisions } = await store.get('a', { attachments: true, revs: true })
    assert.equal(JSON.parse(body).n, 1)
    assert.deepEqual(Object.keys(attachments).sort(), ['1', 'f'])
    assert.ok(attachments.f.data.equals(big))
    assert.equal(`2-${revisions.ids[1]}`, rev)
    assert.equal((await keysOf(level, 'a')).length, 2)
    await assertIntegrity(level)
  })
})

describe('damage of versions', () => {
  async function filled () {
    const { level, store } = await open()
    await store.setRetention({ retain: '2d' })
    await edit(store, 'a', { n: 1, _attachments: { f: { data: Buffer.from('one') } } }, { n: 2 }, { n: 3 })
    await edit(store, 'b', { n: 1 }, { n: 2 })
    await store.close()
    return level
  }

  const problemsOf = async (level) => {
    const problems = []
    for await (const problem of check(level)) problems.push(problem)
    return problems
  }

  const mended = async (level) => {
    const losses = []
    for await (const loss of mend(level)) losses.push(lossInWords(loss))
    return losses
  }

  it('is none where nothing is', async () => {
    const level = await filled()
    const before = await level.iterator().all()
    assert.deepEqual(await mended(level), [])
    assert.deepEqual(await level.iterator().all(), before)
  })

  it('is found, told and taken out', async () => {
    for (const [harm, problem, loss] of [
      [text => text.slice(0, 9), /garbled|cannot be read/, 'document "a": the earlier version of sequence 1 is lost'],
      [text => text.slice(0, -2), /not a JSON object/, 'document "a": the earlier version of sequence 1 is lost'],
      [text => text.replace(/^0\d+/, '09'), /belongs to no document/, 'document "a": the earlier version of sequence 1 is lost']
    ]) {
      const level = await filled()
      const [key] = await keysOf(level, 'ha')
      await level.put(key, harm(await level.get(key)))
      assert.match((await problemsOf(level)).join('\n'), problem)
      assert.ok((await mended(level)).includes(loss))
      await assertIntegrity(level)
      const { store } = await open(level)
      await assert.rejects(store.get('a', { at: 1 }), { code: 'NOT_RETAINED' })
      assert.equal(JSON.parse((await store.get('a', { at: 3 })).body).n, 3)
    }
  })

  it('takes out attachments that are lost, and documents\' versions with the documents', async () => {
    const level = await filled()
    const [chunk] = await keysOf(level, 'c')
    await level.del(chunk)
    await level.del('db')
    for (const [key] of await level.iterator({ gte: 'rb', lt: 'rc' }).all()) await level.del(key)
    const losses = await mended(level)
    assert.ok(losses.some((loss) => /document "a" at 1-\w+: the attachment "f"/.test(loss)), losses.join('\n'))
    assert.ok(losses.includes('document "b": the earlier version of sequence 4 is lost'))
    await assertIntegrity(level)
    const { store } = await open(level)
    assert.equal((await store.get('a', { at: 1 })).attachments, null)
  })
})
