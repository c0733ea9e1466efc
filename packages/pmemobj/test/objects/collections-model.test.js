'use strict'

const assert = require('node:assert')
const fc = require('fast-check')
const { Pool } = require('../..')
const { Heap } = require('../../lib/objects/heap/heap')
const { temporaryFolder } = require('../temporary-folder')

const runs = Number(process.env.COLLECTION_RUNS ?? 60)

// Few keys, so that they are deleted and come again; short and long ones, which lie elsewhere.
const key = fc.oneof(fc.nat(60), fc.constantFrom('a', 'b', NaN, -0, undefined, null, 'x'.repeat(300), 'y'.repeat(300)))
const value = fc.oneof(fc.integer(), fc.constantFrom(undefined, null, 'z'.repeat(400)), fc.double())
const simple = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('set'), key, value }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('delete'), key }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('setMany'), from: fc.nat(40), count: fc.nat(80) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('deleteMany'), from: fc.nat(40), count: fc.nat(80) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('clear') }) })
const { program } = fc.letrec(tie => ({
  program: fc.array(tie('step'), { maxLength: 12 }),
  step: fc.oneof({ depthSize: 'small' }, simple,
    fc.record({ do: fc.constant('transaction'), throws: fc.boolean(), steps: tie('program') }),
    fc.record({ do: fc.constant('reload') }))
}))

const NO = new Error('no')

/** Does a program with a Map (or a Set) of the pool, and with a plain one. Gives what the plain one is then. */
function run (steps, heap, plain, isSet) {
  const put = (collection, key, value) => isSet ? collection.add(key) : collection.set(key, value)
  for (const step of steps) {
    const both = [heap.root, plain]
    if (step.do === 'set') both.forEach(each => put(each, step.key, step.value))
    if (step.do === 'delete') assert.strictEqual(heap.root.delete(step.key), plain.delete(step.key))
    if (step.do === 'clear') both.forEach(each => each.clear())
    if (step.do === 'reload' && !heap.inTransaction) heap.cache.clear()
    for (let i = 0; i < step.count; i++) {
      both.forEach(each => step.do === 'setMany' ? put(each, step.from + i, i) : each.delete(step.from + i))
    }
    if (step.do === 'transaction') plain = transact(step, heap, plain, isSet)
    assert.deepStrictEqual([...heap.root], [...plain])
    assert.strictEqual(heap.root.size, plain.size)
  }
  return plain
}

function transact ({ steps, throws }, heap, plain, isSet) {
  let after = isSet ? new Set(plain) : new Map(plain)
  try {
    heap.run(() => {
      after = run(steps, heap, after, isSet)
      if (throws) throw NO
    })
    return after
  } catch (error) {
    if (error !== NO) throw error
    return plain
  }
}

describe('Maps and Sets in a pool, beside plain ones', () => {
  const folder = temporaryFolder()

  for (const isSet of [false, true]) {
    it(`are the same after any program (${isSet ? 'Sets' : 'Maps'})`, function () {
      this.timeout(600_000 + 100 * runs)
      const location = folder.next()
      const pool = Pool.create(location, { size: '32MiB' })
      fc.assert(fc.property(program, steps => {
        const heap = new Heap(Pool.handleOf(pool), { cacheSize: 8 })
        const begin = isSet ? new Set([1]) : new Map([[1, 1]])
        heap.root = begin
        const plain = run(steps, heap, begin, isSet)
        heap.close()
        const again = new Heap(Pool.handleOf(pool))
        assert.deepStrictEqual([...again.root], [...plain])
        again.close()
      }), { numRuns: runs })
      pool.close()
    })
  }
})
