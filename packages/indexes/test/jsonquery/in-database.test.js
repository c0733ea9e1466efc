'use strict'

const assert = require('node:assert/strict')
const { MemoryLevel } = require('memory-level')
const seedrandom = require('seedrandom')
const { DocumentStore, toObject } = require('@potoroo/document-store')
const { AdaptiveIndexes, JsonQuery, Mango } = require('../..')
const { assertShortTurns } = require('./short-turns')

const ROUNDS = Number(process.env.QUERY_ROUNDS ?? 300)

const VALUES = [undefined, null, true, false, 0, 1, 2.5, -1, '', 'a', 'A', 'ab', 'b', 'é', 'e\u0301x', [], [1], {}, { b: 1 }]

/** Queries and documents, as a generator of random numbers has them. */
class RandomQueries {
  constructor (random) { this.random = random }

  below (count) { return Math.floor(this.random() * count) }
  oneOf (list) { return list[this.below(list.length)] }

  body () { return Object.fromEntries(['a', 'b', 'c'].map(name => [name, this.oneOf(VALUES)]).filter(([, value]) => value !== undefined)) }

  #field () { return this.oneOf(['a', 'b', 'c', '@.a', 'c.b', "@['b']", '_id', 'a.length']) }
  #literal () { return this.oneOf(['null', 'true', '0', '1', '2.5', "''", "'a'", "'ab'", "'é'", "'d3'"]) }

  #condition (depth = 0) {
    const kind = this.below(depth > 2 ? 4 : 7)
    if (kind === 0) return this.#field()
    if (kind === 1) return `${this.#field()}${this.oneOf(['=', '!=', '<', '<=', '>', '>='])}${this.#literal()}`
    if (kind === 2) return `${this.#literal()}${this.oneOf(['=', '<', '>'])}${this.#field()}`
    if (kind === 3) return `${this.#field()}${this.oneOf(["='a*'", "='e*'", "='?'", "~'A*'", "='*b'"])}`
    if (kind === 4) return `!(${this.#condition(depth + 1)})`
    return `(${this.#condition(depth + 1)})${this.oneOf(['&', '|'])}(${this.#condition(depth + 1)})`
  }

  #sort () { return `[${this.oneOf(['/', '\\'])}${this.oneOf(['a', 'b', 'c', '_id'])}${this.oneOf(['', '', ',/b', ',\\c'])}]` }

  #slice () { return this.oneOf(['[0:3]', '[1:4]', '[2:]', '[:5:2]', '[-3:]', '[0:0]', '[1]', '[0].a']) }

  query () {
    const parts = [this.random() < 0.8 ? `[?${this.#condition()}]` : '', this.random() < 0.2 ? `[?${this.#condition()}]` : '', this.random() < 0.5 ? this.#sort() : '', this.random() < 0.5 ? this.#slice() : '']
    return parts.join('') + this.oneOf(['', '', '[=a]', '[={x:a,y:_id}]', '..b', '[=b][^?true]', '[?a=$[0].a]', '.length', '[=_id][0:2]', '[?b]']) || '$'
  }
}

/** All documents, as the query sees them. */
async function everything (store) {
  const docs = []
  const { rows } = await store.allDocs({ includeDocs: true })
  for await (const page of rows) for (const { id, document } of page) if (!id.startsWith('_design/')) docs.push(toObject(document))
  return docs
}

describe('JSONQuery in a database', () => {
  let store
  beforeEach(async () => { store = await DocumentStore.open(new MemoryLevel()) })
  afterEach(() => store.close())

  it('gives what it gives of the list of all documents, whatever indexes there are', async () => {
    const seed = process.env.QUERY_SEED ?? String(Math.random())
    const queries = new RandomQueries(seedrandom(seed))
    const adaptive = new AdaptiveIndexes({ settings: { askThreshold: 1, minDocuments: 1, delay: 0 } })
    const plain = new Mango()
    const learning = new Mango({ adaptive })
    await store.write(Array.from({ length: 40 }, (_, n) => ({ _id: `d${n}`, ...queries.body() })))
    let byIndex = 0
    for (let round = 0; round < ROUNDS; round++) {
      if (queries.below(10) === 0) {
        const fields = queries.oneOf([['a'], ['b'], ['a', 'b'], ['c', 'a']])
        const name = fields.join('')
        if (await store.get(`_design/${name}`).catch(() => null) === null) await plain.create(store, { ddoc: name, name, index: { fields } })
        else await plain.delete(store, name, name)
      }
      const text = queries.query()
      const query = new JsonQuery(text)
      const expected = await query.of(await everything(store))
      for (const mango of [plain, learning]) {
        assert.deepEqual(await query.in(mango, store), expected, `${text} (with QUERY_SEED=${seed})`)
        assert.deepEqual(JSON.parse(await query.textIn(mango, store)), expected, `${text} (with QUERY_SEED=${seed})`)
      }
      const { finds } = await query.explain(learning, store)
      if (finds.some(({ index }) => index.name !== '_all_docs')) byIndex++
    }
    assert.ok(byIndex > ROUNDS / 10, `${byIndex} by an index`)
  })

  describe('with indexes', () => {
    const mango = new Mango()
    const explained = async (text, ...parameters) => (await new JsonQuery(text, parameters).explain(mango, store)).finds

    beforeEach(async () => {
      await store.write(Array.from({ length: 300 }, (_, n) => ({ _id: `d${String(n).padStart(3, '0')}`, n, price: (n * 7) % 100, kind: `k${n % 3}` })))
      for (const fields of [['price'], ['kind', 'price']]) await mango.create(store, { ddoc: fields.join('-'), name: 'x', index: { fields } })
    })

    it('asks Mango for filter, sort and slice', async () => {
      const [{ find, index, steps }] = await explained('[?price<10][/price][5:15][=n]')
      assert.deepEqual(find, { selector: { price: { $lt: 10, $gt: true } }, sort: [{ price: 'asc' }], skip: 5, limit: 10 })
      assert.deepEqual([index.ddoc, steps], ['_design/price', ['map']])
    })

    it('asks for each branch, and leaves the rest to itself', async () => {
      const [{ find, index, steps }] = await explained("[?(kind='k1' & price>=90) & n*2>100][\\price][0:5]")
      assert.deepEqual(find, { selector: { $and: [{ kind: { $eq: 'k1' } }, { price: { $gte: 90, $lt: '' } }] }, sort: [{ price: 'desc' }] })
      assert.deepEqual([index.ddoc, steps], ['_design/kind-price', ['filter', 'slice']])
    })

    it('sorts by itself what nothing sorts', async () => {
      const [{ find, steps }] = await explained('[?price<10][/n]')
      assert.deepEqual([find.sort, steps], [undefined, ['sort']])
      assert.deepEqual(await new JsonQuery('[?price<3][\\n][0:4][=n]').in(mango, store), [286, 243, 200, 186])
    })

    it('puts what an index finds into the order of ids', async () => {
      const [{ index, steps }] = await explained('[?price<3]')
      assert.deepEqual([index.ddoc, steps], ['_design/price', ['sort by id']])
      const found = await new JsonQuery('[?price<3][=n]').in(mango, store)
      assert.deepEqual(found, [...found].sort((a, b) => a - b))
      assert.equal(found.length, 9)
    })

    it('reads no more documents than it needs', async () => {
      let reads = 0
      const counted = Object.assign(Object.create(mango), {
        search: async (...given) => {
          const answer = await mango.search(...given)
          const pages = answer.found()
          answer.found = async function * () { for await (const page of pages) { reads += page.length; yield page } }
          return answer
        }
      })
      assert.deepEqual(await new JsonQuery('[?n>=10][0:2][=n]').in(counted, store), [10, 11])
      assert.ok(reads < 40, `${reads} documents`)
    })

    it('asks for nothing where nothing is wanted', async () => {
      assert.deepEqual(await new JsonQuery('[0:0]').in(mango, store), [])
      assert.deepEqual(await new JsonQuery('[5:3]').in(mango, store), [])
    })
  })

  it('teaches adaptive indexes', async () => {
    const adaptive = new AdaptiveIndexes({ settings: { delay: 0 } })
    const mango = new Mango({ adaptive })
    await store.write(Array.from({ length: 2000 }, (_, n) => ({ _id: `d${n}`, n, kind: `k${n % 100}` })))
    const query = new JsonQuery("[?kind='k7' & n>1000][/n][=n]")
    const expected = await query.in(mango, store)
    await query.in(mango, store)
    await adaptive.settled(store)
    const { finds: [{ index }] } = await query.explain(mango, store)
    assert.equal(index.name, 'adaptive/kind,n')
    assert.deepEqual(await query.in(mango, store), expected)
    assert.deepEqual(expected, [1007, 1107, 1207, 1307, 1407, 1507, 1607, 1707, 1807, 1907])
  })

  it('keeps numbers of documents that it does not change as they were sent', async () => {
    const { parseExact } = require('@potoroo/document-store')
    await store.write([parseExact('{"_id":"a","n":12345678901234567890}')])
    assert.match(await new JsonQuery('$').textIn(new Mango(), store), /12345678901234567890/)
  })

  it('sorts the first of more documents than it keeps, and refuses to keep more', async () => {
    await store.write(Array.from({ length: 60000 }, (_, n) => ({ _id: `d${n}`, n })))
    const mango = new Mango()
    assert.deepEqual(await new JsonQuery('[\\n][0:3][=n]').in(mango, store), [59999, 59998, 59997])
    assert.equal((await new JsonQuery('[=n][?@>59990]').in(mango, store)).length, 9)
    await assert.rejects(new JsonQuery('[\\n]').in(mango, store), { status: 400, error: 'query_too_large' })
    await mango.create(store, { index: { fields: ['n'] } })
    // Too many of the index to be sorted by id: they are read in that order.
    assert.equal((await new JsonQuery('[?n>=0][=n%2][^?true]').in(mango, store).catch(({ error }) => error)), 'query_too_large')
    assert.deepEqual(await new JsonQuery('[?n>=0][0:2][=n]').in(mango, store), [0, 1])
  })

  it('lets others run meanwhile', async () => {
    await store.write(Array.from({ length: 20000 }, (_, n) => ({ _id: `d${n}`, n, text: `text ${n % 977}`, inner: { list: Array.from({ length: 20 }, (_, i) => ({ i })) } })))
    const mango = new Mango()
    for (const text of ['[?inner.list[?i>18].length=1][/text,\\n][=n]', '$..i', '[/text][^?true]', "[?text~'*9*9*']"]) {
      const query = new JsonQuery(text)
      await query.textIn(mango, store)
      await assertShortTurns(text, () => query.textIn(mango, store))
    }
  })
})
