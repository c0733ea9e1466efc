'use strict'

const assert = require('node:assert/strict')
const { MemoryLevel } = require('memory-level')
const { DocumentStore, Turn, inTurns, mapInTurns } = require('..')

const many = (count, make) => Array.from({ length: count }, (_, i) => make(i))

/** Takes longer than a turn. */
function burn () {
  const end = performance.now() + 11
  while (performance.now() < end);
}

describe('work in turns', () => {
  it('is done at once where there is nothing', () => {
    assert.equal(inTurns([], () => assert.fail()), undefined)
    assert.deepEqual(mapInTurns([], () => assert.fail()), [])
  })

  it('goes through all elements in order, and lets others run where it takes long', async () => {
    let others = 0
    const timer = setInterval(() => { others++ }, 1)
    const seen = []
    await inTurns([1, 2, 3, 4], (element, i) => {
      seen.push([element, i])
      burn()
    }, 1)
    clearInterval(timer)
    assert.deepEqual(seen, [[1, 0], [2, 1], [3, 2], [4, 3]])
    assert.ok(others > 0)
    assert.deepEqual(await mapInTurns(many(200, i => i), i => 2 * i, 1), many(200, i => 2 * i))
  })

  it('takes a round of the event loop for each long turn, whoever has it, first come, first served', async () => {
    let rounds = 0
    let next = setImmediate(function count () {
      rounds++
      next = setImmediate(count)
    })
    const seen = []
    await Promise.all(many(5, i => i).map(async i => {
      await new Turn().end()
      seen.push([i, rounds])
      burn()
    }))
    clearImmediate(next)
    assert.deepEqual(seen.map(([i]) => i), [0, 1, 2, 3, 4])
    assert.equal(new Set(seen.map(([, round]) => round)).size, 5)
  })

  it('ends with what is thrown', async () => {
    assert.throws(() => inTurns([1], () => { throw new Error('at once') }), { message: 'at once' })
    const work = i => {
      if (i === 2) throw new Error('later')
      burn()
    }
    await assert.rejects(async () => inTurns([1, 2], work, 1), { message: 'later' })
  })
})

describe('very many documents', () => {
  let store

  before(async () => { store = await DocumentStore.open(new MemoryLevel()) })
  after(() => store.close())

  it('are written in their order, each after those before it, with results in their places', async () => {
    const docs = many(2500, i => ({ _id: `d${i % 2400}`, n: i }))
    docs[1200] = { _id: '_bad' }
    const results = await store.write(docs)
    assert.equal(results.length, 2500)
    results.forEach((result, i) => {
      if (i === 1200) assert.equal(result.error, 'illegal_docid')
      else if (i >= 2400) assert.equal(result.error, 'conflict')
      else assert.equal(result.id, `d${i}`)
    })
    assert.equal(store.docCount, 2399)
    assert.equal(JSON.parse((await store.get('d50')).body).n, 50)
  })

  it('are all refused where one is malformed, or all have to be written', async () => {
    const docs = many(2500, i => ({ _id: `x${i}` }))
    await assert.rejects(store.write([...docs, { _id: 5 }], { strict: true }), { status: 400 })
    const results = await store.write([...docs, { _id: 'd1' }], { allOrNothing: true })
    assert.ok(results.every(({ error }) => error !== undefined))
    assert.equal(store.docCount, 2399)
  })

  it('are compared and purged, whatever their names are', async () => {
    const request = JSON.parse(`{${many(1500, i => `"m${i}":["1-a"]`)},"__proto__":["1-a"],"d0":["1-a"]}`)
    const diff = await store.revsDiff(request)
    assert.deepEqual(Object.keys(diff), Object.keys(request))
    const taken = []
    assert.deepEqual(await store.revsDiff(request, found => taken.push(...found) > 0), {})
    assert.deepEqual(taken, Object.entries(diff))
    const revs = Object.fromEntries(await Promise.all(many(1100, async i => [`d${i}`, [(await store.get(`d${i}`)).rev]])))
    const { purged, erased } = await store.purge({ ...revs, none: ['1-a'] })
    assert.deepEqual(purged, { ...revs, none: [] })
    assert.equal(erased.length, 1100)
    assert.equal(store.docCount, 1299)
  })
})
