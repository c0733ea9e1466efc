'use strict'

const assert = require('node:assert')
const { QueryServer } = require('..')

describe('functions of text indexes', () => {
  let server
  const warnings = []

  before(() => { server = new QueryServer({ log: ({ message }) => warnings.push(message) }) })
  beforeEach(() => warnings.splice(0))
  after(() => server.close())

  /** Returns what functions give of one document. */
  const given = async (indexes, source, doc = { _id: 'a' }) => {
    const [[rows]] = await server.map({ sources: [source], indexes, origin: { database: 'd', design: '_design/d' } }, [doc])
    return rows.map(([args]) => args)
  }

  it('give the arguments of their calls', async () => {
    assert.deepStrictEqual(await given('search', 'function (doc) { index("a", doc._id); index("n", 1.5, { store: true }); index("b", false) }'), [['a', 'a', {}], ['n', 1.5, { store: true }], ['b', false, {}]])
    assert.deepStrictEqual(await given('nouveau', 'function (doc) { index("text", "a", "x"); index("double", "n", 2); index("string", "s", "y", { store: true }); index("stored", "z", 1) }'),
      [['text', 'a', 'x', {}], ['double', 'n', 2, {}], ['string', 's', 'y', { store: true }], ['stored', 'z', 1, {}]])
  })

  it('give nothing of a document with a call that is none', async () => {
    const faults = {
      search: ['index(1, "a")', 'index("_id", "a")', 'index("a", {})', 'index("a", undefined)', 'index("a", "b", "c")', 'emit(1)'],
      nouveau: ['index("a", "b")', 'index("text", "_a", "b")', 'index("text", "a", 1)', 'index("double", "a", "1")', 'index("stored", "a", true)', 'index("other", "a", "b")']
    }
    for (const [dialect, calls] of Object.entries(faults)) {
      for (const call of calls) {
        warnings.splice(0)
        assert.deepStrictEqual(await given(dialect, `function (doc) { ${dialect === 'search' ? 'index("x", "y")' : 'index("text", "x", "y")'}; ${call} }`), [], call)
        assert.strictEqual(warnings.length, 1, call)
        assert.match(warnings[0], /^function raised exception .* with doc\._id a$/)
      }
    }
  })

  it('have `index` alone, and others have none', async () => {
    assert.deepStrictEqual(await given('search', 'function () { index("t", typeof emit) }'), [['t', 'undefined', {}]])
    const [[rows]] = await server.map({ sources: ['function () { emit(typeof index, 1) }'] }, [{}])
    assert.deepStrictEqual(rows, [['undefined', 1]])
  })
})
