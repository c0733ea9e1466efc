'use strict'

const assert = require('node:assert/strict')
const seedrandom = require('seedrandom')
const { compareUtf8 } = require('@potoroo/document-store')
const { branches, collect, numbered } = require('../pages')

module.exports = (context) => describe('all documents', () => {
  const ids = async (options) => (await collect((await context.store.allDocs(options)).rows)).map(({ key }) => key)

  it('lists live documents by id, in the byte order of UTF-8', async () => {
    const { store } = context
    const names = ['b', 'a', 'B', '\u{1F98A}', '\uff5e', 'é', '_design/x', 'a\0', '~']
    await store.write([...names.map((_id) => ({ _id })), { _id: 'gone', _deleted: true }, { _id: '_local/x' }])
    const expected = [...names].sort((x, y) => Buffer.compare(Buffer.from(x), Buffer.from(y)))
    assert.deepEqual(await ids(), expected)
    assert.deepEqual(await ids({ descending: true }), [...expected].reverse())
    const { totalRows, offset, updateSeq } = await store.allDocs()
    assert.deepEqual([totalRows, offset, updateSeq], [9, 0, 10])
  })

  it('pages through many, with ranges, skip and limit', async () => {
    const { store } = context
    await store.write(numbered(1000))
    assert.equal((await ids()).length, 1000)
    assert.deepEqual(await ids({ startkey: 'doc0990', limit: 2 }), ['doc0990', 'doc0991'])
    assert.deepEqual(await ids({ startkey: 'doc0997' }), ['doc0997', 'doc0998', 'doc0999'])
    assert.deepEqual(await ids({ endkey: 'doc0001' }), ['doc0000', 'doc0001'])
    assert.deepEqual(await ids({ endkey: 'doc0001', inclusiveEnd: false }), ['doc0000'])
    assert.deepEqual(await ids({ startkey: 'doc0002', endkey: 'doc0000', descending: true }), ['doc0002', 'doc0001', 'doc0000'])
    assert.deepEqual(await ids({ startkey: 'doc0002', endkey: 'doc0000', descending: true, inclusiveEnd: false }), ['doc0002', 'doc0001'])
    assert.deepEqual(await ids({ skip: 998 }), ['doc0998', 'doc0999'])
    assert.deepEqual(await ids({ skip: 500, limit: 1 }), ['doc0500'])
    assert.deepEqual(await ids({ limit: 0 }), [])
    assert.deepEqual(await ids({ skip: 2000 }), [])
    assert.equal((await ids({ limit: 600 })).length, 600)
  })

  it('counts the rows before the first', async () => {
    const { store } = context
    await store.write([...numbered(20), { _id: 'doc00055', _deleted: true }])
    assert.equal((await store.allDocs({ startkey: 'doc0010', exactOffset: true, skip: 1 })).offset, 11)
    assert.equal((await store.allDocs({ startkey: 'doc0010', exactOffset: true, descending: true })).offset, 9)
    assert.equal((await store.allDocs({ skip: 3 })).offset, 3)
    assert.equal((await store.allDocs({ keys: ['a'] })).offset, null)
  })

  it('counts them rightly whatever comes and goes before, meanwhile and after', async () => {
    const { store } = context
    const random = seedrandom('offsets')
    const name = () => `d${Math.floor(random() * 2000)}`
    const revs = new Map()
    const edit = async (id) => {
      const before = revs.get(id)
      const deleted = before?.live === true && random() < 0.6
      const { rev } = await store.put({ _id: id, _rev: before?.rev, _deleted: deleted })
      revs.set(id, { rev, live: !deleted })
    }
    const offset = (startkey, descending) => store.allDocs({ startkey, descending, exactOffset: true, limit: 0 }).then((found) => found.offset)
    for (let round = 0; round < 6; round++) {
      const some = [...new Set(Array.from({ length: 400 }, name))]
      const reading = round === 0 ? [] : Array.from({ length: 20 }, () => offset(name(), random() < 0.5))
      await Promise.all([...some.map(edit), ...reading])
      const gone = round === 4 ? some.slice(0, 50) : []
      await store.purge(Object.fromEntries(gone.map((id) => [id, [revs.get(id).rev]])))
      for (const id of gone) revs.delete(id)
      const live = await ids()
      for (let i = 0; i < 20; i++) {
        const key = i % 2 === 0 ? name() : live[Math.floor(random() * live.length)]
        assert.equal(await offset(key, false), live.filter((id) => compareUtf8(id, key) < 0).length, `${round} ${key}`)
        assert.equal(await offset(key, true), live.filter((id) => compareUtf8(id, key) > 0).length, `${round} ${key} descending`)
      }
    }
  })

  it('leaves out many among deleted documents, while others come and go', async () => {
    const { store } = context
    const random = seedrandom('many skips')
    const below = (count) => Math.floor(random() * count)
    const revs = new Map()
    const write = async (docs) => { for (const { id, rev } of await store.write(docs)) revs.set(id, rev) }
    const nameOf = (number) => `doc${['', '\u{10000}', '\uffff'][number % 3]}${number}`
    let live = new Set(Array.from({ length: 2000 }, () => nameOf(below(9000))))
    const change = () => {
      const after = new Set(live)
      const docs = [...new Set(Array.from({ length: 1 + below(30) }, () => nameOf(below(9000))))].map((_id) => {
        const goes = live.has(_id)
        if (goes) after.delete(_id)
        else after.add(_id)
        return { _id, _rev: goes ? revs.get(_id) : undefined, _deleted: goes }
      })
      return { docs, after }
    }
    const pageOf = (of, { skip, limit, descending, endkey }) => {
      const sorted = [...of].sort(compareUtf8)
      if (descending) sorted.reverse()
      const inRange = endkey === undefined ? sorted : sorted.filter((id) => (descending ? -1 : 1) * compareUtf8(id, endkey) <= 0)
      return inRange.slice(skip, skip + limit)
    }
    await write([...live].map((_id) => ({ _id })))
    for (let round = 0; round < 40; round++) {
      const options = { skip: 257 + below(2000), limit: 1 + below(200), descending: random() < 0.5, endkey: random() < 0.3 ? nameOf(below(9000)) : undefined }
      const { docs, after } = change()
      const reading = [ids(options), ids(options)]
      const writing = write(docs)
      reading.push(ids(options))
      const possible = [pageOf(live, options), pageOf(after, options)].map((page) => JSON.stringify(page))
      for (const page of await Promise.all(reading)) assert.ok(possible.includes(JSON.stringify(page)), `${round} ${JSON.stringify(options)}`)
      await writing
      live = after
      assert.deepEqual(await ids(options), pageOf(live, options), `${round} ${JSON.stringify(options)}`)
    }
  })

  it('leaves out as many as it is told to, whether some are deleted or none', async () => {
    const { store } = context
    const random = seedrandom('skips')
    let live = [...new Set(Array.from({ length: 700 }, () => `doc${Math.floor(random() * 5000)}`))].sort()
    const results = await store.write(live.map((_id) => ({ _id })))
    const revs = new Map(results.map(({ id, rev }) => [id, rev]))
    const check = async (what) => {
      for (let i = 0; i < 30; i++) {
        const [low, high] = Array.from({ length: 2 }, () => `doc${Math.floor(random() * 5000)}`).sort()
        const descending = random() < 0.5
        const options = { descending, startkey: descending ? high : low, endkey: descending ? low : high, inclusiveEnd: random() < 0.5, skip: Math.floor(random() * 500), limit: 3 }
        const found = live.filter((id) => id >= low && id <= high && (options.inclusiveEnd || id !== options.endkey))
        if (descending) found.reverse()
        assert.deepEqual(await ids(options), found.slice(options.skip, options.skip + 3), `${what} ${JSON.stringify(options)}`)
        const before = live.filter((id) => descending ? id > high : id < low).length
        const { offset } = await store.allDocs({ ...options, exactOffset: true, limit: 0 })
        assert.equal(offset, Math.min(before + options.skip, live.length), `${what} ${JSON.stringify(options)}`)
      }
    }
    await check('none deleted')
    const gone = live.filter(() => random() < 0.3)
    const tombstones = await store.write(gone.map((_id) => ({ _id, _rev: revs.get(_id), _deleted: true })))
    live = live.filter((id) => !gone.includes(id))
    await check('some deleted')
    await store.purge(Object.fromEntries(tombstones.map(({ id, rev }) => [id, [rev]])))
    await check('those purged')
  })

  it('brings documents along', async () => {
    const { store } = context
    await store.write(branches('a', '1-a 2-b', '1-a 2-c'), { newEdits: false })
    await store.put({ _id: 'b', _attachments: { f: { data: 'aGk=' } } })
    const [a, b] = await collect((await store.allDocs({ includeDocs: true, conflicts: true, attachments: true })).rows)
    assert.deepEqual([a.id, a.value, a.document.body, a.document.conflicts], ['a', { rev: '2-c' }, '{"from":"2-c"}', ['2-b']])
    assert.equal(b.document.attachments.f.data.toString(), 'hi')
    const [bare] = await collect((await store.allDocs()).rows)
    assert.equal(bare.document, undefined)
  })

  it('answers keys in their order, with missing and deleted ones', async () => {
    const { store } = context
    await store.write(numbered(3))
    const { rev } = await store.put({ _id: 'gone', _deleted: true })
    const keys = ['doc0002', 'nothing', 'gone', 'doc0000', 'doc0002', 5]
    const rows = await collect((await store.allDocs({ keys, includeDocs: true })).rows)
    assert.deepEqual(rows.map(({ key, error, value, document }) => [key, error ?? value.deleted ?? false, document && document.id]), [
      ['doc0002', false, 'doc0002'], ['nothing', 'not_found', undefined], ['gone', true, null],
      ['doc0000', false, 'doc0000'], ['doc0002', false, 'doc0002'], [5, 'not_found', undefined]
    ])
    assert.deepEqual(rows[2].value, { rev, deleted: true })
    assert.deepEqual(await ids({ keys, skip: 1, limit: 2 }), ['nothing', 'gone'])
    assert.deepEqual(await ids({ keys: ['a', 'b'], descending: true }), ['b', 'a'])
    assert.deepEqual(await ids({ keys: [] }), [])
  })

  it('reads one snapshot, whatever is written meanwhile', async () => {
    const { store } = context
    await store.write(numbered(600))
    const { rows } = await store.allDocs()
    const pages = rows[Symbol.asyncIterator]()
    const first = await pages.next()
    await store.write([{ _id: 'doc0599a' }, { _id: 'zzz' }])
    let count = first.value.length
    for (let page = await pages.next(); !page.done; page = await pages.next()) count += page.value.length
    assert.equal(count, 600)
  })

  it('gives what has long attachments on before it reads others', async () => {
    const { store } = context
    const long = () => ({ a: { content_type: 'a/b', data: Buffer.alloc(3 * 1024 * 1024, 'x') } })
    await store.write(['a', 'b', 'c'].map(_id => ({ _id, _attachments: long() })))
    for (const options of [{}, { keys: ['a', 'b', 'c', 'none'] }]) {
      const lengths = []
      for await (const page of (await store.allDocs({ ...options, includeDocs: true, attachments: true })).rows) lengths.push(page.length)
      assert.deepEqual(lengths, options.keys === undefined ? [1, 1, 1] : [1, 1, 1, 1])
    }
    for await (const page of store.changes({ includeDocs: true, attachments: true })) assert.equal(page.length, 1)
  })

  it('lets go of its snapshot when a reader ends early', async () => {
    const { store } = context
    await store.write(numbered(600))
    const pages = (await store.allDocs()).rows[Symbol.asyncIterator]()
    assert.ok((await pages.next()).value.length > 0)
    await pages.return()
    await store.close()
    assert.equal(store.closed, true)
  })
})
