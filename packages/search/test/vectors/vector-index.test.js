'use strict'

const assert = require('node:assert')
const fc = require('fast-check')
const { VectorIndex } = require('../..')
const { VectorSet } = require('../../lib/vectors/vector-set')

/** Numbers from 0 to 1, always the same. @param {number} state */
function numbers (state) {
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return (state >>> 8) / 2 ** 24
  }
}

/** Vectors around some centres. @param {() => number} next @param {number} dimensions @param {number} centres */
function maker (next, dimensions, centres) {
  const normal = () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next())
  const around = Array.from({ length: centres }, () => Array.from({ length: dimensions }, normal))
  return () => around[Math.floor(next() * centres)].map(each => each + 0.6 * normal())
}

/** As the definitions have it. @type {Record<string, (left: number[], right: number[]) => number>} */
const similarities = {
  cosine: (left, right) => left.length === 0 ? 0 : dot(left, right) / (Math.sqrt(dot(left, left) * dot(right, right)) || 1),
  dot,
  l2: (left, right) => 1 / (1 + Math.hypot(...left.map((each, at) => each - right[at])))
}

/** @param {number[]} left @param {number[]} right */
function dot (left, right) { return left.reduce((sum, each, at) => sum + each * right[at], 0) }

/** @param {Map<string, number[]>} vectors @param {string} metric @param {number[]} near @param {number} k */
function naive (vectors, metric, near, k) {
  return [...vectors].map(([id, vector]) => ({ id, similarity: similarities[metric](near, vector) })).sort((left, right) => right.similarity - left.similarity).slice(0, k)
}

describe('vectors', () => {
  it('that are few are found exactly, after any changes', async () => {
    const vector = fc.array(fc.integer({ min: -9, max: 9 }), { minLength: 3, maxLength: 3 })
    const change = fc.tuple(fc.integer({ min: 0, max: 20 }).map(String), fc.option(vector, { freq: 4 }))
    await fc.assert(fc.asyncProperty(fc.constantFrom('cosine', 'dot', 'l2'), fc.array(change, { maxLength: 60 }), vector, fc.integer({ min: 0, max: 8 }), async (metric, changes, near, k) => {
      const index = new VectorIndex({ dimensions: 3, metric })
      const vectors = new Map()
      for (const [id, given] of changes) {
        if (given === null) index.delete(id)
        else index.set(id, given)
        vectors.delete(id)
        if (given !== null) vectors.set(id, given)
      }
      const [found, wanted] = [await index.nearest(near, k), naive(vectors, metric, near, k)]
      assert.strictEqual(index.size, vectors.size)
      assert.strictEqual(found.length, wanted.length)
      found.forEach(({ id, similarity }, at) => {
        assert.ok(Math.abs(similarity - wanted[at].similarity) < 1e-5)
        assert.ok(Math.abs(similarity - similarities[metric](near, vectors.get(id))) < 1e-5)
      })
    }), { numRuns: 300 })
  })

  for (const metric of ['cosine', 'dot', 'l2']) {
    it(`that are many are found with a recall of 0.95 by ${metric}, also while some come and go`, async () => {
      const next = numbers(11)
      const vector = maker(next, 24, 40)
      const index = new VectorIndex({ dimensions: 24, metric })
      const vectors = new Map()
      const put = (/** @type {number} */ number) => {
        const given = vector()
        vectors.set(`d${number}`, given)
        index.set(`d${number}`, given)
      }
      for (let number = 0; number < 3500; number++) put(number)
      await index.build()
      for (let number = 0; number < 600; number++) {
        vectors.delete(`d${number * 3}`)
        index.delete(`d${number * 3}`)
      }
      for (let number = 3500; number < 3900; number++) put(number)
      const recall = async () => {
        let found = 0
        for (let query = 0; query < 50; query++) {
          const near = vector()
          const wanted = new Set(naive(vectors, metric, near, 10).map(({ id }) => id))
          const hits = await index.nearest(near, 10)
          assert.strictEqual(hits.length, 10)
          found += hits.filter(({ id }) => wanted.has(id)).length
        }
        return found / 500
      }
      assert.ok(await recall() >= 0.95)
      await index.build()
      assert.ok(await recall() >= 0.95)
    })
  }

  it('that are replaced again and again leave nothing behind', async () => {
    const vector = maker(numbers(5), 4, 3)
    const index = new VectorIndex({ dimensions: 4, metric: 'l2' })
    for (let round = 0; round < 30; round++) {
      for (let number = 0; number < 200; number++) index.set(`d${number}`, vector())
      await index.build()
    }
    index.set('d7', [100, 0, 0, 0])
    await index.build()
    assert.deepStrictEqual(await index.nearest([100, 0, 0, 0], 1), [{ id: 'd7', similarity: 1 }])
    assert.strictEqual((await index.nearest([0, 0, 0, 0], 1000)).length, 200)
    assert.ok(index.places <= 2 * 200 + 2000)
  })

  it('are found while the graph is built, and while others come', async () => {
    const vector = maker(numbers(3), 8, 20)
    const index = new VectorIndex({ dimensions: 8, metric: 'l2' })
    for (let number = 0; number < 4000; number++) index.set(`d${number}`, vector())
    const over = new AbortController()
    const building = index.build().then(() => over.abort())
    for (let number = 0; !over.signal.aborted; number++) {
      const given = vector()
      index.set(`new${number}`, given)
      assert.strictEqual((await index.nearest(given, 1))[0].id, `new${number}`)
      index.delete(`d${number}`)
      await new Promise(resolve => setImmediate(resolve))
    }
    await building
  })

  it('are all found one by one where the graph cannot be built', async () => {
    const vector = maker(numbers(5), 8, 20)
    const index = new VectorIndex({ dimensions: 8, metric: 'l2' })
    const vectors = new Map(Array.from({ length: 3000 }, (_, i) => [`d${i}`, vector()]))
    for (const [id, each] of vectors) index.set(id, each)
    const between = VectorSet.prototype.between
    let calls = 0
    VectorSet.prototype.between = function (...places) {
      if (++calls === 50_000) throw new RangeError('Array buffer allocation failed')
      return between.apply(this, places)
    }
    try {
      await assert.rejects(index.build(), /allocation failed/)
    } finally {
      VectorSet.prototype.between = between
    }
    for (const [id, each] of vectors) assert.strictEqual((await index.nearest(each, 1))[0].id, id)
  })

  it('of other dimensions are refused', async () => {
    const index = new VectorIndex({ dimensions: 2, metric: 'dot' })
    assert.throws(() => index.set('a', [1]), /1 numbers, not 2/)
    await assert.rejects(index.nearest([1, 2, 3], 1), /3 numbers, not 2/)
  })
})
