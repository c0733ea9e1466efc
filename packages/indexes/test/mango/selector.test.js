'use strict'

const assert = require('node:assert/strict')
const fc = require('fast-check')
const { MemoryLevel } = require('memory-level')
const { DocumentStore } = require('@potoroo/document-store')
const { Mango, compileSelector, compileSelectorInTurns } = require('../..')
const arbitraries = require('./arbitraries')

describe('selector', function () {
  /** @type {Array<[any, any[], any[]]>} selector, what matches, what does not */
  const cases = [
    [{}, [{}, { a: 1 }], []],
    [{ a: {} }, [{ a: {} }], [{ a: 1 }, { a: { b: 1 } }, {}]],
    [{ $not: { a: {} } }, [{ a: 1 }], [{ a: {} }, {}]],
    [{ a: 1 }, [{ a: 1 }], [{}, { a: '1' }, { a: null }]],
    [{ a: null }, [{ a: null }], [{}]],
    [{ a: { b: 1 } }, [{ a: { b: 1, c: 2 } }], [{ a: 1 }, {}]],
    [{ 'a.b': { $gt: 1, $lte: 3 } }, [{ a: { b: 3 } }], [{ a: { b: 1 } }, { a: { b: 4 } }]],
    [{ 'a\\.b': 1 }, [{ 'a.b': 1 }], [{ a: { b: 1 } }]],
    [{ 'a.0': 1 }, [{ a: [1] }], [{ a: [2, 1] }]],
    [{ a: { $ne: 1 } }, [{ a: 2 }], [{ a: 1 }, {}]],
    [{ $not: { a: 1 } }, [{ a: 2 }], [{ a: 1 }, {}]],
    [{ a: { $not: { $gt: 1 } } }, [{ a: 1 }], [{ a: 2 }, {}]],
    [{ a: { $exists: true } }, [{ a: null }], [{}]],
    [{ a: { $exists: false } }, [{}], [{ a: null }]],
    [{ $not: { a: { $exists: true } } }, [{}], [{ a: 1 }]],
    [{ $or: [{ a: 1 }, { b: 2 }] }, [{ a: 1 }, { b: 2 }], [{ a: 2, b: 1 }]],
    [{ $nor: [{ a: 1 }, { a: 2 }] }, [{ a: 3 }], [{ a: 1 }, { a: 2 }, {}]],
    [{ $and: [{ a: { $gte: 1 } }, { a: { $lt: 3 } }] }, [{ a: 2 }], [{ a: 3 }]],
    [{ a: { $or: [{ $eq: 1 }, { $eq: 2 }] } }, [{ a: 2 }], [{ a: 3 }, {}]],
    [{ a: { $in: [1, 'x'] } }, [{ a: 1 }, { a: ['x'] }], [{ a: 2 }, {}]],
    [{ a: { $nin: [1] } }, [{ a: 2 }], [{ a: 1 }]],
    [{ a: { $all: [1, 2] } }, [{ a: [2, 1, 3] }], [{ a: [1] }, { a: 1 }]],
    [{ a: { $size: 2 } }, [{ a: [1, 2] }], [{ a: [1] }, { a: 'ab' }]],
    [{ a: { $mod: [3, 1] } }, [{ a: 4 }], [{ a: 3 }, { a: '4' }, { a: 4.5 }]],
    [{ a: { $type: 'array' } }, [{ a: [] }], [{ a: {} }, { a: null }]],
    [{ a: { $regex: '(?i)^B' } }, [{ a: 'bc' }], [{ a: 'cb' }, { a: 1 }]],
    [{ a: { $regex: '^(a|b)+c?$' } }, [{ a: 'abc' }, { a: 'b' }], [{ a: 'ca' }]],
    [{ a: { $beginsWith: 'x' } }, [{ a: 'xy' }], [{ a: 'yx' }, { a: 1 }]],
    [{ a: { $elemMatch: { b: 1 } } }, [{ a: [{ b: 2 }, { b: 1 }] }], [{ a: { b: 1 } }, { a: [] }]],
    [{ a: { $elemMatch: { $gt: 2 } } }, [{ a: [1, 3] }], [{ a: [1] }]],
    [{ a: { $allMatch: { $gt: 2 } } }, [{ a: [4, 3] }], [{ a: [1, 3] }, { a: [] }]],
    [{ a: { $keyMapMatch: { $eq: 'k' } } }, [{ a: { k: 1 } }], [{ a: { l: 1 } }, { a: 'k' }]],
    [{ constructor: { $exists: true } }, [], [{}]]
  ]
  for (const [selector, matching, others] of cases) {
    it(JSON.stringify(selector), function () {
      const matches = compileSelector(selector)
      for (const doc of matching) assert.equal(matches(doc), true, JSON.stringify(doc))
      for (const doc of others) assert.equal(matches(doc), false, JSON.stringify(doc))
    })

    it(`${JSON.stringify(selector)} in turns`, async function () {
      const matches = compileSelectorInTurns(selector)
      for (const doc of matching) assert.equal(await matches(doc, Infinity), true, JSON.stringify(doc))
      for (const doc of others) assert.equal(await matches(doc, Infinity), false, JSON.stringify(doc))
    })
  }

  it('in turns matches as in one go', async function () {
    await fc.assert(fc.asyncProperty(arbitraries.doc, fc.array(arbitraries.selector, { minLength: 5 }), async (doc, selectors) => {
      for (const selector of selectors) assert.equal(await compileSelectorInTurns(selector)(doc, Infinity), compileSelector(selector)(doc), JSON.stringify(selector))
    }), { numRuns: 200 })
  })

  /** @type {Array<[any, string]>} */
  const malformed = [
    [undefined, 'invalid_selector_json'], [null, 'invalid_selector_json'], [[], 'invalid_selector_json'], ['a', 'invalid_selector_json'],
    [{ a: { $foo: 1 } }, 'invalid_operator'], [{ $constructor: 1 }, 'invalid_operator'],
    [{ $or: 5 }, 'bad_arg'], [{ $not: 1 }, 'bad_arg'], [{ a: { $in: 1 } }, 'bad_arg'],
    [{ a: { $mod: [0, 1] } }, 'bad_arg'], [{ a: { $regex: '(' } }, 'bad_arg'], [{ a: { $elemMatch: 1 } }, 'bad_arg'], [{ a: { $exists: 1 } }, 'bad_arg']
  ]
  for (const [selector, error] of malformed) {
    it(`refuses ${JSON.stringify(selector)}`, function () {
      assert.throws(() => compileSelector(selector), { status: 400, error })
    })
  }

  it('refuses nesting without end', function () {
    let selector = { a: 1 }
    for (let i = 0; i < 5000; i++) selector = /** @type {any} */ ({ $not: selector })
    assert.throws(() => compileSelector(selector), { status: 400 })
  })

  it('lets others run while all documents are looked at', async function () {
    const database = await DocumentStore.open(new MemoryLevel(), { prefix: 'db/' })
    for (let i = 0; i < 20; i++) await database.write(Array.from({ length: 500 }, (_, n) => ({ _id: `${i} ${n}`, list: Array.from({ length: 50 }, (_, k) => ({ k, text: 'some text' })) })))
    // In time of the processor, which does not pass while others have it.
    const spent = since => process.cpuUsage(since).user
    let longest = 0
    let before = process.cpuUsage()
    const timer = setInterval(() => {
      longest = Math.max(longest, spent(before))
      before = process.cpuUsage()
    }, 1)
    const started = before
    await new Mango().find(database, { selector: { list: { $elemMatch: { text: 'none' } } } })
    const all = spent(started)
    clearInterval(timer)
    await database.close()
    assert.ok(longest < all / 2, `${longest} of ${all} µs`)
  })
})
