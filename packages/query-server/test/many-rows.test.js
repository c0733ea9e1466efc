'use strict'

const assert = require('node:assert/strict')
const { QueryServer } = require('..')

const origin = { database: 'db', design: '_design/d' }
const plain = { module: require.resolve('../lib/sandbox/plain-rows') }

describe('map functions that emit much', function () {
  this.timeout(600_000)
  /** @type {QueryServer} */
  let server
  let log

  beforeEach(() => {
    log = []
    server = new QueryServer({ timeout: 20_000, rows: 100, bytes: 10_000, log: ({ message }) => log.push(message) })
  })
  afterEach(() => server.close())

  const map = (sources, docs) => server.map({ sources, origin }, docs)
  const counts = rows => rows.map(views => views.map(view => view.length))
  const emits = emitted => `function (doc) { for (var i = 0; i < doc.n; i++) ${emitted} }`

  it('have no rows of a document with more than a document may have, and the log says so', async () => {
    const rows = await map([emits('emit(i, 1)'), 'function (doc) { emit(doc.n) }'], [{ _id: 'a', n: 100 }, { _id: 'b', n: 101 }, { _id: 'c', n: 5 }])
    assert.deepEqual(counts(rows), [[100, 1], [0, 1], [5, 1]])
    assert.deepEqual(log, ['function emits more than 100 rows for one document, which has none in this view with doc._id b'])
  })

  it('have none where they catch the error, and go on', async () => {
    const rows = await map(['function (doc) { for (var i = 0; i < 1000; i++) try { emit(i) } catch (e) {} }'], [{ _id: 'a' }])
    assert.deepEqual(counts(rows), [[0]])
    assert.equal(log.length, 1)
  })

  for (const [what, emitted] of Object.entries({ strings: 'emit(i, "x".repeat(1000))', objects: 'emit(i, { a: ["x".repeat(500), "y".repeat(500)] })', 'one object': 'emit(i, doc)' })) {
    it(`have none of a document whose rows have too many bytes: ${what}`, async () => {
      const text = 'z'.repeat(1000)
      const rows = await map([emits(emitted), 'function (doc) { emit(doc.n) }'], [{ _id: 'a', n: 8, text }, { _id: 'b', n: 15, text }, { _id: 'c', n: 80, text }, { _id: 'd', n: 2, text }])
      assert.deepEqual(counts(rows), [[8, 1], [0, 1], [0, 1], [2, 1]])
      assert.deepEqual(log, ['function emits more than 10000 bytes for one document, which has none in this view with doc._id b'])
    })
  }

  it('end early where there is no end of rows', async () => {
    const rows = await map(['function (doc) { for (;;) emit(1, { a: [1, 2, 3] }) }'], [{ _id: 'a' }, { _id: 'b' }])
    assert.deepEqual(counts(rows), [[0], [0]])
  })

  it('keep to limits that change', async () => {
    server.configure({ rows: 2 })
    assert.deepEqual(counts(await map([emits('emit(i)')], [{ _id: 'a', n: 3 }, { _id: 'b', n: 2 }])), [[0], [2]])
    server.configure({ rows: 3 })
    assert.deepEqual(counts(await map([emits('emit(i)')], [{ _id: 'a', n: 3 }])), [[3]])
  })

  it('pass as filters, however much they emit', async () => {
    assert.deepEqual(await server.emits({ sources: [emits('emit(i)')], origin }, [{ n: 1000 }, { n: 0 }]), [true, false])
  })

  it('give all rows, in order, where documents have few, many and too many', async () => {
    server.configure({ rows: 3000, bytes: 1e6 })
    const docs = [0, 1, 7, 8, 9, 3000, 3, 3001, 500].map((n, i) => ({ _id: `d${i}`, n }))
    const rows = await map([emits('emit([i, doc._id], "some text that makes it longer")'), 'function (doc) { emit(doc.n) }'], docs)
    assert.deepEqual(rows.map(([first]) => first.map(([[i]]) => i)), docs.map(({ n }) => n > 3000 ? [] : Array.from({ length: n }, (_, i) => i)))
    assert.deepEqual(rows.map(([, [[n]]]) => n), docs.map(({ n }) => n))
  })

  it('wait for who takes their rows, and that does not count as their time', async () => {
    server.configure({ timeout: 300, rows: 10_000, bytes: 1e6 })
    const wait = () => new Promise(resolve => setTimeout(resolve, 500))
    const sizes = []
    let taking = 0
    const encoder = { module: require.resolve('./small-parts') }
    await server.mapInParts({ sources: [emits('emit(i)')], origin }, [{ _id: 'a', n: 4 }, { _id: 'b', n: 1 }], {
      encoder,
      take: async part => {
        assert.equal(++taking, 1, 'one at a time')
        sizes.push(part.rows.length)
        if (sizes.length < 3) await wait()
        taking--
      }
    })
    assert.deepEqual(sizes, [2, 2, 1])
  })

  it('let go of their thread when nobody takes their rows', async () => {
    const failing = server.mapInParts({ sources: [emits('emit(i)')], origin }, [{ _id: 'a', n: 4 }], {
      encoder: { module: require.resolve('./small-parts') },
      take: async () => { throw new Error('no room') }
    })
    await assert.rejects(failing, /no room/)
    assert.equal(server.size.busy, 0)
    assert.deepEqual(counts(await map([emits('emit(i)')], [{ _id: 'a', n: 3 }])), [[3]])
  })

  it('say what is wrong where an encoder or JSON is spoilt', async () => {
    const spoil = 'function (doc) { Array.prototype.toJSON = function () { return 7 }; emit(1) }'
    for (let i = 0; i < 2; i++) await assert.rejects(server.mapInParts({ sources: [spoil], origin }, [{ _id: 'a' }], { encoder: plain, take: () => {} }), { error: 'os_process_error' })
  })
})
