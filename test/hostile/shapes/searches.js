'use strict'

const assert = require('node:assert/strict')
const { beside } = require('../support/functions')

const WORDS = 20_000
const DIMENSIONS = 32

/** Numbers from 0 on and below a count, always the same. */
function numbers () {
  let state = 7
  return (/** @type {number} */ count) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state >>> 8) / 2 ** 24 * count)
  }
}

/** Texts of many different words, all of which begin with the same letter, and of words that all have. @param {number} count */
function documentsOf (count) {
  const below = numbers()
  const word = () => `w${below(WORDS).toString(36)}`
  return Array.from({ length: count }, (_, n) => ({
    _id: `d${n}`,
    text: `all of them ${Array.from({ length: 30 }, word).join(' ')}`,
    n,
    tag: word(),
    at: Array.from({ length: DIMENSIONS }, () => below(1000))
  }))
}

const search = 'function (doc) { index("default", doc.text, { store: true }); index("n", doc.n); index("tag", doc.tag, { facet: true }); if (doc.long) index("long", doc.long, { store: true }) }'
const nouveau = 'function (doc) { index("text", "default", doc.text); index("double", "n", doc.n); index("string", "tag", doc.tag) }'

const many = (/** @type {number} */ count, /** @type {(n: number) => string} */ make, between = ' ') => Array.from({ length: count }, (_, n) => make(n)).join(between)
const bookmark = (/** @type {any} */ keys) => Buffer.from(JSON.stringify(keys)).toString('base64url')

/** Queries that cost much, or are none. */
const queries = [
  '*w*', '*', '?*?', many(200, n => `*${n}*`), many(1000, n => `w${n}*`), many(1000, () => '*:*'), many(1024, () => 'all'), many(10_000, n => `a${n}`),
  'w1~2', many(500, n => `w${n}~2`), 'default:[a TO z]', 'default:[* TO *]', 'n:[* TO *]', many(1000, () => 'n:[0 TO 9999999]'),
  '/.*/', '/(w|w.)*(w|.w)*x/', '/((((w.){1,50}){1,50}){1,50})/', `/${'(a|b)?'.repeat(150)}/`, `/${'('.repeat(400)}w${')'.repeat(400)}/`, '/[^w]{1000}/', '/~(~(~(~(w))))/',
  '('.repeat(30_000), `${'('.repeat(200)}all${')'.repeat(200)}`, many(30_000, () => '-', ''), `"${many(1000, () => 'all')}"~2147483647`, '"all of them"~2147483647', `"${many(900, n => `w${n}`)}"`,
  'fn:or('.repeat(10_000), `fn:ordered(${many(1000, () => 'all')})`, `fn:atLeast(2147483647 ${many(1000, () => 'them')})`, `fn:unordered(${many(500, n => `fn:wildcard(w${n}* 1024)`)})`, 'fn:wildcard(* 1024)', 'fn:fuzzyTerm(w1 2 1024)',
  `${'fn:containedBy(all '.repeat(200)}fn:or("all of" "of them" all)${')'.repeat(200)}`, `fn:phrase(${many(100, () => 'fn:or("all of" them)')})`, `fn:notWithin(all 2147483647 ${'fn:extend('.repeat(200)}all${' 2147483647 2147483647)'.repeat(200)})`,
  'n:NaN', 'n:[NaN TO Infinity]', 'n:[-Infinity TO Infinity]', 'all^1e999', 'all^99999999999999999999', 'all~0.99999999', '\\u', '\ud800', 'x'.repeat(65_000), 'all AND '.repeat(8000)
]

/** Other parameters. */
const parameters = [
  { q: 'all', limit: 1e9 }, { q: 'all', limit: -1 }, { q: 'all', limit: 'many' }, { q: '*:*', limit: 200, sort: ['n<string>', 'tag<number>', '-n<number>', 'nothing<string>'] },
  { q: '*:*', sort: many(2000, () => '"n"', ',') }, { q: '*:*', sort: '<distance,n,n,1e999,NaN,km>' }, { q: '*:*', sort: `<distance,n,n,${'9'.repeat(400)},1,km>` },
  { q: '*:*', limit: 0, counts: Array.from({ length: 5000 }, (_, n) => `f${n}`) }, { q: '*:*', limit: 0, counts: ['tag'] }, { q: '*:*', limit: 0, ranges: { n: Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [n, `[${n} TO 99999]`])) } },
  { q: '*:*', ranges: { n: { a: '[NaN TO 1]' } } }, { q: '*:*', drilldown: [['tag', ...Array.from({ length: 5000 }, (_, n) => `w${n}`)]] }, { q: '*:*', group_field: 'tag', group_limit: 200, limit: 200 },
  { q: 'long:x*', highlight_fields: ['long'], highlight_size: 1_000_000, highlight_number: 1000 }, { q: many(900, n => `long:*${n}*`), highlight_fields: ['long'] },
  ...[[], [1], ['a', 1], [1, 'a'], [null, null], [{}, {}], [[1], 1], [1e308, 9e15], [1, 1, 1], 'text', 7, null].map(keys => ({ q: 'all', bookmark: bookmark(keys) })),
  { q: 'all', bookmark: 'x'.repeat(100_000) }, { q: '*:*', sort: 'tag<string>', bookmark: bookmark([5, 1]) }, { q: '*:*', sort: 'n<number>', bookmark: bookmark(['a', 1]) }
]

/** Finds near a vector. */
const vectors = [
  { near: [] }, { near: [1] }, { near: new Array(DIMENSIONS).fill(null) }, { near: new Array(DIMENSIONS).fill('NaN') }, { near: new Array(DIMENSIONS).fill(1e300) }, { near: new Array(100_000).fill(1) },
  { near: new Array(DIMENSIONS).fill(5), k: 10_000 }, { near: new Array(DIMENSIONS).fill(5), k: 1e9 }, { near: new Array(DIMENSIONS).fill(5), k: 0 }, { near: new Array(DIMENSIONS).fill(0) }, { near: {} }, { near: new Array(DIMENSIONS).fill([]) }
]

/** @param {import('../support/subject').Subject} subject @param {string} path @param {any} body */
async function ask (subject, path, body) {
  const { status, text } = await subject.ask('POST', `/s/${path}`, body)
  assert.ok([200, 400].includes(status), `${status} ${path} ${JSON.stringify(body).slice(0, 300)}: ${text.slice(0, 300)}`)
}

/** @type {import('../support/run-shape').Shape} */
module.exports = {
  name: 'searches',
  what: 'searches that ask for very much, or make no sense, beside a reader; each has an answer',
  sizes: {
    short: { count: 1000 },
    long: { count: 50_000, bounds: { stall: 150, peak: 250, left: 200 } }
  },
  bounds: { stall: 150, peak: 150, left: 100 },

  async prepare (subject, { count }) {
    await subject.done('PUT', '/s')
    const docs = documentsOf(count)
    for (let at = 0; at < docs.length; at += 1000) await subject.done('POST', '/s/_bulk_docs', { docs: docs.slice(at, at + 1000) })
    await subject.done('PUT', '/s/long', { text: `${'all '.repeat(400_000)}`, long: 'xyz xab '.repeat(100_000) })
    await subject.done('PUT', '/s/_design/d', { indexes: { all: { index: search } }, nouveau: { all: { index: nouveau } } })
    await subject.done('POST', '/s/_index', { type: 'text', index: { fields: [{ name: 'tag', type: 'string' }] } })
    await subject.done('POST', '/s/_index', { type: 'vector', index: { fields: [{ at: { type: 'vector', dimensions: DIMENSIONS, metric: 'cosine' } }] } })
    for (const path of ['_search', '_nouveau']) await subject.done('GET', `/s/_design/d/${path}/all?q=all`)
    await subject.done('POST', '/s/_find', { selector: { $text: 'w1' } })
  },

  async attack (subject) {
    const attacks = [
      ...queries.flatMap(q => ['_search', '_nouveau'].map(path => () => ask(subject, `_design/d/${path}/all`, { q }))),
      ...queries.slice(0, 20).map($text => () => ask(subject, '_find', { selector: { $text } })),
      ...parameters.map(given => () => ask(subject, '_design/d/_search/all', given)),
      ...vectors.map(vector => () => ask(subject, '_find', { vector: { field: 'at', ...vector } }))
    ]
    let at = 0
    const four = Array.from({ length: 4 }, () => async () => { while (at < attacks.length) await attacks[at++]() })
    return beside(four, () => subject.done('GET', '/s/d7'))
  }
}
