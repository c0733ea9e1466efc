'use strict'

const assert = require('node:assert/strict')
const { analyzer } = require('@potoroo/search')
const { TextFields, pathsOf } = require('../../../lib/mango/text/fields')

const options = { fields: null, paths: null, hasDefault: true, hasLengths: true, analyze: analyzer('standard') }

/** The terms of each field, in order, and the numbers. @param {any} doc @param {any} [more] */
async function termsOf (doc, more) {
  const all = { ...options, ...more }
  const built = await new TextFields({ ...all, paths: pathsOf(all.fields) }).build(doc)
  if (built === undefined) return undefined
  const { names, tokens, positions } = built.terms
  const fields = Object.fromEntries(built.fields.map(([field, , , from, to]) => [field, Array.from(tokens.subarray(from, to), (token, i) => `${names[token]} ${positions[from + i]}`)]))
  return { fields, numbers: built.numbers.map(([field]) => field), values: built.values }
}

describe('the fields of a document in a text index of Mango', () => {
  it('have paths, and what lists and objects within each other have', async () => {
    const doc = { 'a.b': 'Fox one', list: [1, 'two', [true], { x: null, y: { z: 'four' } }], none: {}, '': { '': 5 } }
    const { fields, numbers, values } = await termsOf(doc)
    assert.deepEqual(fields.$default, ['fox 0', 'one 1', 'two 2', 'four 3'])
    assert.deepEqual(fields['a\\.b:string'], ['fox 0', 'one 1'])
    assert.deepEqual(fields['list.[].y.z:string'], ['four 0'])
    assert.deepEqual(fields['list.[].[]:boolean'], ['true 0'])
    assert.deepEqual(fields['list.[].x:null'], ['true 0'])
    assert.deepEqual(numbers, ['list.[]:length', 'list.[]:number', 'list.[].[]:length', '.:number'])
    assert.deepEqual(values, { 'a\\.b:string': 'Fox one', 'list.[]:number': 1, 'list.[]:string': 'two', 'list.[].y.z:string': 'four', '.:number': 5 })
  })

  it('are those of a hundred levels', async () => {
    const deep = levels => { let doc = { x: 1 }; for (let i = 1; i < levels; i++) doc = { x: doc }; return doc }
    assert.equal((await termsOf(deep(100))).numbers.length, 1)
    const { numbers, fields } = await termsOf(deep(101))
    assert.equal(numbers.length, 0)
    assert.equal(fields.$fieldnames.length, 100)
  })

  it('have numbers for places in lists, and tell the types of all values of a path', async () => {
    const doc = { a: { 0: 'x', 10: null }, b: { c: 1 }, n: 'fox' }
    const { fields } = await termsOf(doc)
    assert.deepEqual(names(fields), ['a.0:string', 'a.10:null', 'a.[]:null', 'a.[]:string', 'a:object', 'b.c:number', 'b:object', 'n:string'])
    assert.deepEqual(fields.$default, ['x 0', 'fox 1'])
    const { fields: some, numbers } = await termsOf(doc, { fields: new Set(['a.[]:number', 'b:string', 'n:number']) })
    assert.deepEqual(names(some), ['a.[]:null', 'a.[]:string', 'b:object', 'n:string'])
    assert.deepEqual([Object.keys(some), numbers], [['$fieldnames'], []])
  })

  /** @param {any} fields */
  function names ({ $fieldnames }) { return $fieldnames.map((/** @type {string} */ name) => name.replace(/ \d+$/, '')).sort() }

  it('have the words of a long text as if it was looked at in one go', async () => {
    const text = Array.from({ length: 30_000 }, (_, i) => `word${i % 977}`).join(' ')
    const { fields } = await termsOf({ text })
    const expected = options.analyze(text).map(({ term, position }) => `${term} ${position}`)
    assert.ok(text.length > 200_000)
    assert.deepEqual(fields['text:string'], expected)
    assert.deepEqual(fields.$default, expected)
  })

  it('have a long text as one term where that is the analyzer', async () => {
    const built = await new TextFields({ ...options, analyze: analyzer('keyword'), hasDefault: false }).build({ text: 'a b '.repeat(50_000) })
    assert.deepEqual(built.fields.map(([field, length]) => [field, length]), [['text:string', 1], ['$fieldnames', 1]])
  })

  it('are none where a document has too many, or their names are too long', async () => {
    const wide = count => Object.fromEntries(Array.from({ length: count }, (_, i) => [`f${i}`, 1]))
    assert.equal((await termsOf(wide(100_000))).numbers.length, 100_000)
    assert.equal(await termsOf(wide(100_001)), undefined)
    const long = 'x'.repeat(1_000_000)
    assert.equal(await termsOf({ [long]: wide(20_000) }), undefined)
    const fields = new Set([`${long}.f7:number`])
    assert.equal((await termsOf({ [long]: wide(10) }, { fields })).numbers.length, 1)
  })

  it('are not looked at where a definition has none so long', async () => {
    const members = Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`f${i}`, 'text']))
    const { fields } = await termsOf({ ['x'.repeat(1_000_000)]: members, y: 'fox' }, { fields: new Set(['y:string']) })
    assert.deepEqual(fields, { 'y:string': ['fox 0'], $default: ['fox 0'], $fieldnames: ['y 0', 'string 1'].slice(0, 0).concat(['y:string 0']) })
  })

  it('are gathered while others run', async () => {
    for (const doc of [Object.fromEntries(Array.from({ length: 60_000 }, (_, i) => [`f${i}`, `w${i}`])), { text: 'all of them, '.repeat(200_000) }]) {
      let rounds = 0
      let ended = false
      const count = () => { rounds++; if (!ended) setImmediate(count) }
      setImmediate(count)
      await new TextFields(options).build(doc)
      ended = true
      assert.ok(rounds > 2, `${rounds} rounds`)
    }
  })
})
