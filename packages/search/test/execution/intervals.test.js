'use strict'

const assert = require('node:assert')
const { Work, analyzer, buildStandard, readStandard, termMatcher } = require('../..')
const { DocumentBuilder } = require('../../lib/index/document-builder')
const { TestIndex } = require('../support/index')
const { answers, texts } = require('./lucene/intervals.json')

const analyze = analyzer('standard', { dialect: 'nouveau' })

/** The node of a query. */
function parse (query) { return buildStandard(query, readStandard(query, 'd').syntax, { analyze, numbersOf: () => undefined }) }

describe('functions of intervals', () => {
  /** @type {TestIndex} */
  let index

  beforeEach(async () => { index = await TestIndex.open() })
  afterEach(() => index.close())

  /** Writes documents, each of fields d and x. */
  async function write (all) {
    await index.writeBuilt(all.map((fields, at) => {
      const builder = new DocumentBuilder()
      fields.forEach((text, i) => builder.addText('dx'[i], analyze(text)))
      return { id: String(at).padStart(6, '0'), built: builder.finish() }
    }))
  }

  /** Numbers and scores, the best first. */
  async function find (query) {
    const found = await index.find(parse(query), { matcherOf: termMatcher })
    return found.map(([id, score]) => [Number(id), Math.fround(score)]).sort((a, b) => b[1] - a[1] || a[0] - b[0])
  }

  // Lucene 10.4.0's StandardQueryParser and IntervalQuery have given the answers: how many documents there are, and the first eight with their scores; null is an error.
  it('give the same documents, order and scores as Lucene', async () => {
    assert.ok(answers.length > 400)
    await write(texts)
    for (const [query, count, wanted] of answers) {
      if (count === null) {
        await assert.rejects(async () => find(query), { status: 400 }, query)
        continue
      }
      const found = await find(query)
      assert.strictEqual(found.length, count, query)
      const first = found.slice(0, wanted.length)
      assert.deepStrictEqual(first.map(([doc]) => doc), wanted.map(([doc]) => doc), query)
      first.forEach(([, score], at) => assert.ok(Math.abs(score - wanted[at][1]) <= 1e-6 * wanted[at][1], `${query}: ${score}, not ${wanted[at][1]}`))
    }
  })

  it('see documents change', async () => {
    await write([['one two three'], ['one x two'], ['two one']])
    assert.deepStrictEqual((await find('fn:ordered(one two)')).map(([doc]) => doc), [0, 1])
    await index.write({ '000000': { d: 'two one' }, '000002': null })
    assert.deepStrictEqual((await find('fn:ordered(one two)')).map(([doc]) => doc), [1])
    // A term that no document has any longer is none that a pattern stands for.
    assert.deepStrictEqual(await find('fn:wildcard(thr* 1)'), [])
  })

  it('read positions of many documents, of blocks and behind them', async () => {
    await write(Array.from({ length: 1000 }, (_, i) => [i % 3 === 0 ? 'one two' : i % 3 === 1 ? 'two one' : `one ${'x '.repeat(i % 7)}two`]))
    const found = await find('fn:maxgaps(2 fn:ordered(one two))')
    assert.deepStrictEqual(found.map(([doc]) => doc).sort((a, b) => a - b), Array.from({ length: 1000 }, (_, i) => i).filter(i => i % 3 === 0 || (i % 3 === 2 && i % 7 <= 2)))
  })

  it('are one clause among others', async () => {
    await write([['one two', 'red'], ['one two', 'blue'], ['two one', 'red']])
    for (const [query, docs] of [['+fn:ordered(one two) +x:red', [0]], ['+one -fn:ordered(one two)', [2]], ['x:fn:or(red blue) AND fn:ordered(two one)', [2]], ['(fn:ordered(one two) x:red fn:ordered(two one))@2', [0, 2]]]) {
      assert.deepStrictEqual((await find(query)).map(([doc]) => doc).sort(), docs, query)
    }
    const [[, plain]] = await find('fn:ordered(one two)')
    assert.deepStrictEqual(await find('(fn:ordered(one two))^3'), [[0, 3 * plain], [1, 3 * plain]])
  })

  it('say what is too much', async () => {
    await write([['ab ac ad ae', 'x']])
    for (const [query, reason] of [
      ['fn:wildcard(a* 3)', 'Automaton [a*] expanded to too many terms (limit 3)'],
      ['fn:wildcard(a* 5000)', 'maxExpansions [5000] cannot be greater than BooleanQuery.getMaxClauseCount [1024]'],
      ['fn:fuzzyTerm(ab 1 2)', 'Automaton [ab~1] expanded to too many terms (limit 2)'],
      ['fn:fuzzyTerm(ab 3)', 'max edits must be 0..2, inclusive; got: 3'],
      ['fn:atLeast(0 ab ac)', 'fn:atLeast must ask for at least 1 source'],
      [`fn:phrase(${'fn:or(ab "ac ad") '.repeat(11)})`, 'Too many disjunctions to expand']
    ]) await assert.rejects(find(query), { status: 400, error: 'bad_request', reason }, query)
  })

  it('let others run while a thousand ways of a thousand words are put together', async () => {
    await write([['a b c']])
    const words = Array.from({ length: 900 }, (_, i) => `w${i}`).join(' ')
    const choices = 'fn:or(a "b c") '.repeat(10)
    for (const query of [`fn:phrase(${choices}${words})`, `fn:containedBy(a fn:phrase(${choices}${words}))`]) {
      let turns = 0
      let isDone = false
      const count = () => {
        turns++
        if (!isDone) setImmediate(count)
      }
      const node = parse(query)
      const spent = process.cpuUsage()
      setImmediate(count)
      assert.deepStrictEqual(await index.find(node, { matcherOf: termMatcher }), [])
      isDone = true
      const { user } = process.cpuUsage(spent)
      assert.ok(turns > 5 && user < 5e6, `${query.slice(0, 14)}: ${turns} turns, ${user} µs`)
    }
  })

  it('work out what is one function once, however often it is asked for', async () => {
    await write([['a b c d '.repeat(100)]])
    let query = 'a'
    const choice = 'fn:or("a b" "b c" "c d" "d a")'
    for (let i = 0; i < 40; i++) query = `fn:containedBy(${query} ${choice})`
    assert.strictEqual((await find(query)).length, 1)
  })

  const LONG = 'a b c '.repeat(50_000)

  it('go through long documents', async () => {
    await write([[LONG]])
    for (const query of ['fn:ordered(a b c)', 'fn:unordered(a b c)', 'fn:maxgaps(0 fn:ordered(a b c))', 'fn:atLeast(2 a b c)', 'fn:or(a b c)', 'fn:containing("a b c" b)']) assert.strictEqual((await find(query)).length, 1, query)
  })

  const HOSTILE = {
    'very many parts': [LONG, `fn:ordered(${'a b c '.repeat(300)})`],
    'repeated terms': [LONG, `fn:unordered(${'a '.repeat(1000)})`],
    'alternatives within alternatives': [LONG, `${'fn:maxgaps(9 fn:ordered(fn:or(a "b c") '.repeat(60)}a${'))'.repeat(60)}`],
    'any of many': [LONG, `fn:atLeast(500 ${'a b c x y z fn:extend(a 9 9) '.repeat(100)})`],
    'longer and longer': [LONG, `${'fn:extend('.repeat(200)}a${' 2000000000 2000000000)'.repeat(200)}`]
  }
  for (const [name, [text, query]] of Object.entries(HOSTILE)) {
    it(`end soon, or say that they cost too much: ${name}`, async () => {
      await write([[text]])
      const node = parse(query)
      const spent = process.cpuUsage()
      await index.find(node, { matcherOf: termMatcher, work: new Work() }).catch(error => assert.strictEqual(error.status, 400, error.stack))
      const { user } = process.cpuUsage(spent)
      assert.ok(user < 3e6, `${user} µs`)
    })
  }
})
