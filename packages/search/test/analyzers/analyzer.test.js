'use strict'

const assert = require('node:assert')
const { analyzer } = require('../..')

/** @param {import('../..').Token[]} tokens */
function terms (tokens) { return tokens.map(({ term }) => term) }

/** CouchDB's documentation lists these for Clouseau and for Nouveau. */
const general = 'classic email keyword simple simple_asciifolding standard whitespace'
const languages = 'arabic armenian basque brazilian bulgarian catalan chinese cjk czech danish dutch english finnish french galician german greek hindi hungarian indonesian irish italian japanese latvian norwegian persian polish portuguese romanian russian spanish swedish thai turkish'

describe('analyzers', () => {
  it('are there for all names that CouchDB has, and say where each token stands', () => {
    const text = 'Wörter — שלום, слова 言葉 คำ ١٢ of 3.5 e\u0301 a@b.cc 👍🏽'
    for (const name of `${general} ${languages}`.split(' ')) {
      let last = -1
      for (const { term, position, start, end } of analyzer(name)(text)) {
        assert.ok(term.length > 0 && position > last && start < end && end <= text.length, `${name} ${term}`)
        last = position
      }
      assert.ok(last >= 0, name)
    }
  })

  it('are refused when there is none of that name', () => {
    for (const [spec, name] of [['nonsense', 'nonsense'], [{ name: 'toString' }, 'toString'], [{}, 'undefined'], [7, '7'], [null, 'null']]) assert.throws(() => analyzer(spec), { status: 400, error: 'unknown_error', reason: `no_such_analyzer: ${name}` })
    for (const [spec, name] of [['nonsense', 'nonsense'], [{ name: 'toString' }, 'toString'], [7, '7']]) {
      assert.throws(() => analyzer(spec, { dialect: 'nouveau' }), { status: 400, error: 'bad_request', reason: `${name} is not a valid analyzer name` })
    }
  })

  it('leave stop words out and keep the positions of the others', () => {
    const tokens = analyzer('standard')('The Fox and the Dog')
    assert.deepStrictEqual(tokens, [{ term: 'fox', position: 1, start: 4, end: 7 }, { term: 'dog', position: 4, start: 16, end: 19 }])
    assert.deepStrictEqual(terms(analyzer('standard', { dialect: 'nouveau' })('The Fox')), ['the', 'fox'])
    assert.deepStrictEqual(terms(analyzer({ name: 'standard', stopwords: ['fox'] })('The Fox')), ['the'])
    assert.deepStrictEqual(terms(analyzer({ name: 'french', stopwords: ['chat'] })('le chat dort')), ['le', 'dort'])
  })

  it('may be one for each field', () => {
    const analyze = analyzer({ name: 'perfield', default: 'english', fields: { raw: 'keyword', de: { name: 'german' }, odd: 'nonsense' } })
    assert.deepStrictEqual(terms(analyze('Running Dogs', 'text')), ['run', 'dog'])
    assert.deepStrictEqual(terms(analyze('Running Dogs', 'raw')), ['Running Dogs'])
    assert.deepStrictEqual(terms(analyze('die Häuser', 'de')), ['haus'])
    assert.deepStrictEqual(terms(analyze('Running', 'odd')), ['run'])
    assert.deepStrictEqual(terms(analyze('Some:Id', '_id')), ['Some:Id'])
    assert.deepStrictEqual(terms(analyzer({ name: 'perfield' })('Running Dogs')), ['running', 'dogs'])
  })

  it('by field are refused by Nouveau where one is not known', () => {
    for (const spec of [{ name: 'perfield', default: 'klingon' }, { name: 'perfield', fields: { a: 'klingon' } }]) {
      assert.throws(() => analyzer(spec, { dialect: 'nouveau' }), { status: 400, reason: 'klingon is not a valid analyzer name' })
      assert.ok(analyzer(spec, { dialect: 'clouseau' }))
    }
    assert.deepStrictEqual(terms(analyzer({ name: 'perfield' }, { dialect: 'nouveau' })('Running')), ['running'])
  })

  it('bring composed and decomposed letters together', () => {
    const analyze = analyzer('standard')
    assert.deepStrictEqual(terms(analyze('cafe\u0301')), terms(analyze('caf\u00e9')))
    assert.deepStrictEqual(terms(analyzer('simple_asciifolding')('Fiancée Øre Straße ﬁn')), ['fiancee', 'ore', 'strasse', 'fin'])
  })

  it('keep a mail address and a URL whole where asked', () => {
    const text = 'Ask info@example.com, or see https://example.org/a?b=c.'
    assert.deepStrictEqual(terms(analyzer('email')(text)), ['ask', 'info@example.com', 'see', 'https://example.org/a?b=c'])
    assert.deepStrictEqual(terms(analyzer('classic')(text)).slice(0, 2), ['ask', 'info@example.com'])
  })

  it('find addresses in, and behind, what is long', () => {
    const find = text => analyzer('email')(text).filter(({ term }) => term.includes('@')).map(({ start, end }) => text.slice(start, end))
    for (const before of ['', 'x'.repeat(5000), '漢'.repeat(5000), '😀'.repeat(5000), '\ud83d'.repeat(500), 'a.b@'.repeat(500), '://'.repeat(500)]) {
      assert.deepStrictEqual(find(`${before} me@example.com`), ['me@example.com'])
      assert.deepStrictEqual(find(`${before} ${'!'.repeat(200)};me@example.com${'x'.repeat(2000)} you@example.com`), ['you@example.com'])
    }
    // Characters of two units count as one.
    assert.deepStrictEqual(find(`${'😀'.repeat(290)}me@example.com`), ['me@example.com'])
    assert.deepStrictEqual(find(`${'漢'.repeat(400)};${'x'.repeat(20)}@example.com`), [`${'x'.repeat(20)}@example.com`])
  })

  it('find words where there are no spaces', () => {
    assert.deepStrictEqual(terms(analyzer('cjk')('東京都 Tower')), ['東京', '京都', 'tower'])
    assert.ok(terms(analyzer('chinese')('我爱北京天安门')).includes('北京'))
    assert.ok(terms(analyzer('japanese')('東京に住んでいます')).includes('東京'))
    assert.ok(terms(analyzer('thai')('การเดินทางไปประเทศไทย')).length > 1)
  })

  it('know the apostrophes and capitals of languages', () => {
    assert.deepStrictEqual(terms(analyzer('french')('L\'avion d’or')), ['avion', 'or'])
    assert.deepStrictEqual(terms(analyzer('english')('The dog\'s bone')), ['dog', 'bone'])
    assert.deepStrictEqual(terms(analyzer('turkish')('ISPARTA\'da')), ['ıspar'])
    assert.deepStrictEqual(terms(analyzer('irish')('nAthair')), terms(analyzer('irish')('n-athair')).slice(-1))
    assert.deepStrictEqual(terms(analyzer('arabic')('١٢٣')), ['123'])
  })
})

describe('analyzers on hostile text', () => {
  const hostile = {
    letters: 'a'.repeat(60_000),
    underscores: '_'.repeat(60_000),
    marks: `a${'\u0301'.repeat(60_000)}`,
    quotes: 'a\''.repeat(10_000),
    hosts: 'a.'.repeat(10_000),
    hyphens: 'a-'.repeat(10_000),
    addresses: 'a@'.repeat(10_000),
    schemes: 'http://'.repeat(10_000),
    people: '👩\u200d'.repeat(20_000),
    flags: '🇩'.repeat(10_000),
    ideographs: '日'.repeat(60_000),
    thai: 'ก'.repeat(50_000),
    surrogates: '\ud83d'.repeat(30_000)
  }

  for (const [what, text] of Object.entries(hostile)) {
    it(`take time that grows with the text: ${what}`, () => {
      for (const name of ['classic', 'email', 'english', 'simple_asciifolding', 'standard', 'whitespace', 'cjk', 'thai', 'turkish']) {
        const spent = process.cpuUsage()
        const tokens = analyzer(name)(text)
        const { user } = process.cpuUsage(spent)
        assert.ok(user < 2e6, `${name}: ${user} µs`)
        assert.ok(tokens.every(({ term, start, end }) => term.length <= 512 && start < end))
      }
    })
  }
})
