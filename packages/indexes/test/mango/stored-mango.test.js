'use strict'

const assert = require('node:assert/strict')
const seedrandom = require('seedrandom')
const { Mango, StoredMango } = require('../..')
const { RandomFinds } = require('../adaptive/random-finds')
const { levels, openElsewhere } = require('../written-elsewhere')

const FINDS = 400

for (const kind of Object.keys(levels)) {
  describe(`finds in what another thread writes, in ${kind}`, () => {
    let store, reader, mango, stored, opened, close
    const open = async options => {
      ({ store, reader, opened, close } = await openElsewhere(kind, options))
      mango = new Mango()
      stored = new StoredMango({ defaultLimit: () => 25, warnAbove: () => 10 })
    }
    beforeEach(() => open())
    afterEach(() => close())

    async function told (answer) {
      if (answer === null) return null
      try {
        const docs = []
        for await (const page of answer.texts()) docs.push(...page)
        const { execution_stats: stats, ...summary } = answer.summary()
        if (stats) delete stats.execution_time_ms
        return { docs, stats, ...summary }
      } finally {
        await answer.close()
      }
    }
    const ask = async body => told(await stored.search(reader, body))
    const owners = async body => told(await mango.search(store, body))
    const index = (fields, more = {}) => mango.create(store, { index: { fields }, ddoc: fields.join('-'), name: 'i', ...more })
    const idsOf = ({ docs }) => docs.map(text => JSON.parse(text)._id)

    it('find the same, whatever is asked and whatever was written', async () => {
      const seed = process.env.MANGO_SEED ?? String(Math.random())
      const finds = new RandomFinds(seedrandom(seed))
      for (const fields of [['a'], ['b', 'a'], ['c', 'b', 'a']]) await index(fields)
      let answered = 0
      for (let i = 0; i < FINDS; i++) {
        if (i % 20 === 0) await store.write(Array.from({ length: 10 }, () => finds.body()))
        const { skip, ...asked } = finds.find()
        const body = { ...asked, skip, execution_stats: true, ...(finds.below(3) === 0 && { fields: finds.oneOf([['_id', 'a'], ['a', 'b'], ['c.b']]) }), ...(finds.below(4) === 0 && { use_index: finds.oneOf(['a', 'b-a', ['c-b-a', 'i']]) }) }
        const expected = await owners(body).catch(error => error)
        const answer = await ask(body).catch(error => error)
        if (answer === null) continue
        answered++
        const about = `${JSON.stringify(body)} (with MANGO_SEED=${seed})`
        if (expected instanceof Error) assert.deepEqual([answer.error, answer.reason], [expected.error, expected.reason], about)
        else assert.deepEqual(answer, expected, about)
        if (expected.bookmark === undefined || expected.bookmark === 'nil') continue
        // The next page, whoever answered the first one.
        const next = { ...body, skip: 0, bookmark: expected.bookmark }
        assert.deepEqual(await ask(next), await owners(next), about)
      }
      assert.ok(answered > FINDS / 8, String(answered))
    })

    it('are left to the owner as long as the index is not there, or is behind', async () => {
      await index(['n'])
      const { rev } = await store.put({ _id: 'a', n: 1 })
      const body = { selector: { n: { $gt: 0 } } }
      assert.equal(await ask(body), null)
      assert.equal(await ask({ ...body, update: false }), null)
      await owners(body)
      assert.deepEqual(idsOf(await ask(body)), ['a'])
      await store.put({ _id: 'b', n: 2 })
      assert.equal(await ask(body), null)
      assert.deepEqual(idsOf(await ask({ ...body, update: false })), ['a'])
      await owners(body)
      assert.deepEqual(idsOf(await ask(body)), ['a', 'b'])
      await store.purge({ a: [rev] })
      assert.equal(await ask(body), null)
      await owners(body)
      assert.deepEqual(await ask(body), await owners(body))
    })

    it('are left to the owner where there is something to choose or to learn, and where it is of another kind', async () => {
      await store.write([{ _id: 'a', n: 1, m: 1, v: [1, 0] }])
      await index(['n'])
      await owners({ selector: { n: 1 } })
      const asks = [
        { selector: { m: 1 } }, { selector: {} }, { selector: { _id: 'a' } }, { selector: { _id: 'a', n: 1 } }, { selector: { n: 1 }, vector: { field: 'v', near: [1, 0] } },
        { selector: { n: { $in: [1, 2] } }, sort: ['n'] }, { selector: { m: 1 }, sort: ['m'] }
      ]
      for (const body of asks.slice(0, 5)) assert.equal(await ask(body), null, JSON.stringify(body))
      assert.deepEqual(idsOf(await ask({ selector: { n: 1 } })), ['a'])
      await index(['m'])
      for (const body of [{ selector: { m: 1 } }, { selector: { n: 1 } }]) await owners(body)
      assert.equal(await ask({ selector: { m: 1, n: 1 } }), null)
      await mango.create(store, { index: { fields: [{ name: 't', type: 'string' }] }, type: 'text', ddoc: 't', name: 't' })
      await owners({ selector: { n: 1 } })
      assert.equal(await ask({ selector: { n: 1 } }), null)
      await close()
      await open({ access: true })
      await index(['n'])
      await owners({ selector: { n: 1 } })
      assert.equal(await ask({ selector: { n: 1 } }), null)
    })

    it('are by the indexes of the same moment', async () => {
      await store.write([{ _id: 'a', n: 1, kind: 'x' }, { _id: 'b', n: 2 }])
      await index(['n'])
      const body = { selector: { n: { $gt: 0 } }, use_index: 'n' }
      await owners(body)
      assert.deepEqual(await ask(body), await owners(body))
      await mango.delete(store, 'n', 'i', 'json')
      assert.equal(await ask(body), null)
      await index(['kind', 'n'], { ddoc: 'n' })
      const other = { selector: { kind: 'x', n: { $gt: 0 } }, use_index: 'n' }
      const expected = await owners(other)
      let answer = null
      while (answer === null) answer = await ask(other)
      assert.deepEqual(answer, expected)
    })

    it('are refused as the owner refuses them', async () => {
      await index(['n'])
      await store.put({ _id: 'a', n: 1 })
      await owners({ selector: { n: 1 } })
      const refused = [
        [], {}, { selector: 3 }, { selector: { n: { $bad: 1 } } }, { selector: { n: 1 }, limit: -1 }, { selector: { n: 1 }, fields: 3 }, { selector: { n: 1 }, sort: 3 }, { selector: { n: 1 }, other: 1 },
        { selector: { n: 1 }, bookmark: 'x' }, { selector: { n: 1 }, bookmark: 3 }, { selector: { n: 1 }, partition: 'p' }, { selector: { n: 1 }, use_index: 'none', allow_fallback: false }, { selector: { n: { $regex: '(' } } }, { selector: { n: 1 }, vector: 3 }
      ]
      for (const body of refused) {
        const error = await owners(body).catch(error => error)
        assert.ok(error.status >= 400, JSON.stringify(body))
        await assert.rejects(ask(body), { status: error.status, error: error.error, reason: error.reason }, JSON.stringify(body))
      }
    })

    it('read one partition, or all of them', async () => {
      await close()
      await open({ partitioned: true })
      await store.write([{ _id: 'p:a', n: 1 }, { _id: 'q:a', n: 1 }, { _id: 'p:b', n: 2 }])
      await index(['n'], { partitioned: true })
      await index(['n'], { ddoc: 'all', partitioned: false })
      for (const body of [{ selector: { n: { $gt: 0 } }, partition: 'p' }, { selector: { n: { $gt: 0 } } }, { selector: { n: 1 }, partition: 'p', fields: ['n'] }]) {
        const expected = await owners(body)
        assert.deepEqual(await ask(body), expected)
      }
    })

    it('let go of their moment where nobody reads on', async () => {
      await index(['n'])
      await store.write(Array.from({ length: 600 }, (_, n) => ({ n })))
      const body = { selector: { n: { $gte: 0 } }, limit: 600 }
      await owners(body)
      const answer = await stored.search(reader, body)
      assert.equal(opened.size, 1)
      const pages = answer.texts()[Symbol.asyncIterator]()
      assert.ok((await pages.next()).value.length > 0)
      await pages.return()
      await answer.close()
      assert.equal(opened.size, 0)
    })

    it('see all of a commit or nothing of it', async () => {
      await index(['n'])
      let revs = (await store.write([0, 1, 2, 3].map(n => ({ _id: `a${n}`, n: n < 2 ? 1 : 0 })))).map(({ rev }) => rev)
      const body = { selector: { n: 1 } }
      const written = new AbortController()
      const found = []
      const write = (async () => {
        for (let round = 1; round < 100 || found.length < 50; round++) {
          revs = (await store.write(revs.map((_rev, n) => ({ _id: `a${n}`, _rev, n: (n + round) % 4 < 2 ? 1 : 0 })))).map(({ rev }) => rev)
          await owners(body)
          await new Promise(setImmediate)
        }
      })().finally(() => written.abort())
      while (!written.signal.aborted) {
        const answer = await ask({ ...body, fields: ['n'] })
        if (answer !== null) found.push(answer.docs.length)
        await new Promise(setImmediate)
      }
      await write
      assert.deepEqual(new Set(found), new Set([2]))
    })
  })
}
