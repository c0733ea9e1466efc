'use strict'

const assert = require('node:assert/strict')
const { parseInTurns } = require('@potoroo/document-store')
const { JsonQuery } = require('../..')
const { data, answers } = require('./dojox-answers.json')
const { assertShortTurns } = require('./short-turns')

const ask = (query, value, ...parameters) => new JsonQuery(query, parameters).of(value)

const books = [
  { category: 'reference', author: 'Nigel Rees', title: 'Sayings of the Century', price: 8.95 },
  { category: 'fiction', author: 'Evelyn Waugh', title: 'Sword of Honour', price: 12.99 },
  { category: 'fiction', author: 'Herman Melville', title: 'Moby Dick', isbn: '0-553-21311-3', price: 8.99 },
  { category: 'fiction', author: 'J. R. R. Tolkien', title: 'The Lord of the\nRings', isbn: '0-395-19395-8', price: 22.99 }
]
const shop = { store: { book: books, bicycle: { color: 'red', price: 19.95 } }, symbols: { '@.$;': 5 } }
const [rees, waugh, melville, tolkien] = books

describe('JSONQuery', () => {
  describe('as the tests and the documentation of dojox.json.query have it', () => {
    for (const [query, expected, value = shop] of [
      ['$.store.book[=author]', ['Nigel Rees', 'Evelyn Waugh', 'Herman Melville', 'J. R. R. Tolkien']],
      ['$..author', ['Nigel Rees', 'Evelyn Waugh', 'Herman Melville', 'J. R. R. Tolkien']],
      ['$.store.*', [books, shop.store.bicycle]],
      ['$.store..price', [8.95, 12.99, 8.99, 22.99, 19.95]],
      ['$..book[0]?price=22.99', [tolkien]],
      ['$..book[0]?price>=20', [tolkien]],
      ['$..book[0][-1:]', [tolkien]],
      ['$..book[0][0,1]', [rees, waugh]],
      ['$..book[0][:2]', [rees, waugh]],
      ['$.store.book[=category][^?true]', ['reference', 'fiction']],
      ["$..[^?author~'herman melville']", [melville], [shop, shop]],
      ["$..[^?author='Herman*']", [melville], [shop, shop]],
      ["$..[^?@['author']='Herman*']", [melville], [shop, shop]],
      ['$..book[0][?(@.isbn)]', [melville, tolkien]],
      ['$..book[0][?(@.price<10)]', [rees, melville]],
      ["$..book[0][?(@['price']<10)]", [rees, melville]],
      ['$..[?price<10]', [rees, melville]],
      ['$.store..[?price<10]', [rees, melville]],
      ['$.store.book[/category][/price][=price]', [8.95, 8.99, 12.99, 22.99]],
      ['$.store.book[\\category,\\price][=price]', [8.95, 22.99, 12.99, 8.99]],
      ["$.store.book?title='*of the*'", [rees, tolkien]],
      ["$.store.book[?'?iction'=category][=price]", [12.99, 8.99, 22.99]],
      ["$.store.book[?'?ICTion'~category][=price]", [12.99, 8.99, 22.99]],
      ['Math.round($.store.book[\\price][0].price - $.store.book[/price][0].price)', 14],
      ['$.symbols[*]', [5]],
      ["$.symbols['@.$;']", 5],
      ['$.store.book[?(@.price<15)][1:3]', [waugh, melville]],
      ['$.store.book[?(@.price<15)][=author]', ['Nigel Rees', 'Evelyn Waugh', 'Herman Melville']],
      ['$.store.book[1].category', 'fiction'],
      ['$.store.bicycle', shop.store.bicycle],
      ['$.store.book[=category]', ['reference', 'fiction', 'fiction', 'fiction']],
      ['foo', 'bar', { foo: 'bar' }],
      ["?foo='bar'&rating>3", [{ foo: 'bar', rating: 4 }], [{ foo: 'bar', rating: 4 }, { foo: 'baz', rating: 2 }]],
      ['$[?price<15.00][\\rating][0:10]', [{ price: 2, rating: 9 }, { price: 1, rating: 3 }], [{ price: 1, rating: 3 }, { price: 16, rating: 5 }, { price: 2, rating: 9 }]],
      ["[={name:firstName + ' ' + lastName}]", [{ name: 'Ada Lovelace' }], [{ firstName: 'Ada', lastName: 'Lovelace' }]]
    ]) {
      it(query, async () => assert.deepEqual(await ask(query, value), expected))
    }

    it('takes parameters, which have no wildcards', async () => {
      assert.deepEqual(await ask('$..book[0]?author=$1&price=$2', shop, 'Nigel Rees', 8.95), [rees])
      assert.deepEqual(await ask('$..book[0]?author=$1', shop, 'Nigel*'), [])
    })

    for (const query of ['$.store.book[?(push(5))]', '$.store.book[?(new Danger)]', '$.store.book[?(@+=2)]', '$.store.book.push(5)', '$[?(function(){})()]', "$['constructor']('x')", 'Math.constructor(1)']) {
      it(`runs no code: ${query}`, async () => assert.rejects(async () => ask(query, shop), { error: 'query_parse_error', status: 400 }))
    }
  })

  describe('as dojox.json.query answered', () => {
    const whole = value => typeof value === 'object' && value !== null && 'item' in value ? data.items[value.item] : value
    for (const [query, answer] of answers) {
      it(query, async () => assert.deepEqual(await ask(query, data), Array.isArray(answer) ? answer.map(whole) : whole(answer)))
    }
  })

  describe('of its own', () => {
    for (const [query, value, expected] of [
      ['[?a=1]', [{ a: '1' }, { a: true }, { a: 1 }], [{ a: 1 }]],
      ['[?a=null]', [{ a: null }, {}, { a: 0 }], [{ a: null }, {}]],
      ['[?a!=1]', [{ a: '1' }, {}, { a: 1 }], [{ a: '1' }, {}]],
      ['[?a<2]', [{ a: '1' }, { a: null }, { a: 1 }, { a: [1] }, {}], [{ a: 1 }]],
      ["[?a>'b']", [{ a: 'B' }, { a: 'c' }, { a: 5 }], [{ a: 'B' }, { a: 'c' }]],
      ["[?a='e*']", [{ a: 'ex' }, { a: 'e\u0301x' }], [{ a: 'ex' }]],
      ["[?a='a?c']", [{ a: 'abc' }, { a: 'ac' }], [{ a: 'abc' }]],
      ["[?a='*b*b']", [{ a: 'abab' }, { a: 'ab' }, { a: 'bb' }], [{ a: 'abab' }, { a: 'bb' }]],
      ['[/a]', [{ a: 'b' }, { a: 2 }, {}, { a: 'a' }, { a: null }, { a: [] }], [{}, { a: null }, { a: 2 }, { a: 'a' }, { a: 'b' }, { a: [] }]],
      ['[\\a][=n]', [{ a: 1, n: 1 }, { a: 2, n: 2 }, { a: 1, n: 3 }], [2, 3, 1]],
      ['..a', { a: 0, b: [{ a: false }, { c: { a: { a: null } } }] }, [0, false, { a: null }, null]],
      ['[0:0]', [1, 2], []],
      ['[::2]', [1, 2, 3, 4, 5], [1, 3, 5]],
      ['[-3:-1]', [1, 2, 3, 4], [2, 3]],
      ['list[?tags[?@="x"].length>1][=id]', { list: [{ id: 1, tags: ['x', 'x'] }, { id: 2, tags: ['x'] }] }, [1]],
      ['[=[a,b]]', [{ a: 1 }], [[1, null]]],
      ['..[=a]', [{ a: 1 }, { b: { a: 2 } }], [1, null, 2]],
      ["$['a'].b['c']", { a: { b: { c: 3 } } }, 3],
      ["['a','b']", { a: 1, b: 2 }, [1, 2]],
      ['[$[0].a]', [{ a: 1 }, 'x'], 'x'],
      ['nothing.at.all', {}, null],
      ['constructor', {}, null],
      ['__proto__', {}, null],
      ['[={"__proto__":a}]', [{ a: 1 }], [JSON.parse('{"__proto__":1}')]],
      ['1/0', {}, null],
      ['"a"+1+true', {}, 'a1true'],
      ['!a | -b < 0', { a: true, b: 3 }, true],
      ['[?a=$[0].a][=a]', [{ a: 1 }, { a: 2 }, { a: 1 }], [1, 1]],
      ['"\\u0041\\n\\""', {}, 'A\n"'],
      ['[^?true]', [{ a: 1 }, { a: 1 }, '1', 1, 1], [{ a: 1 }, '1', 1]]
    ]) {
      it(`${query} of ${JSON.stringify(value)}`, async () => assert.deepEqual(await ask(query, value), expected))
    }

    it('leaves what it is asked of as it was', async () => {
      const value = JSON.parse(JSON.stringify(shop))
      for (const query of ['$.store.book[\\price]', '$..[^?true]', '$.store.book[=price]']) await ask(query, value)
      assert.deepEqual(value, shop)
    })
  })

  for (const [query, character, reason] of [
    ['', 1, /the end where a value has to be/],
    ['a b', 3, /There is "b"/],
    ['[?a<]', 5, /"]" where a value/],
    ['[?a=1', 6, /the end where a "]"/],
    ["[?a='b]", 5, /text does not end/],
    ['a..', 4, /the end where a name/],
    ['[0:1:0]', 5, /1 or more/],
    ['[0.5:1]', 2, /no integer/],
    ['[?a~b]', 4, /needs a text/],
    ['[?a#1]', 4, /"#" that means nothing/],
    ['Math.random()', 6, /no function Math.random/],
    ['[?a=$1]', 5, /no text, number, boolean or null for \$1/],
    ['{a:}', 4, /"}" where a value/],
    ['[/a,]x', 6, /There is "x"/],
    ['('.repeat(60), 52, /more than 50 levels/]
  ]) {
    it(`says where ${query.slice(0, 20)} cannot be read`, () => {
      assert.throws(() => new JsonQuery(query), error => {
        assert.deepEqual([error.status, error.error], [400, 'query_parse_error'])
        assert.match(error.reason, reason)
        assert.match(error.reason, new RegExp(`at character ${character} of the query$`))
        return true
      })
    })
  }

  for (const [what, query, value] of [
    ['a long query', `a${'+1'.repeat(5000)}`, {}],
    ['a query of many parts', `[?${'!a|'.repeat(600)}a]`, []],
    ['a query that doubles a text', '[=a+a][=@+@][=@+@][=@+@]', [{ a: 'x'.repeat(200000) }]],
    ['a nested walk', '[=$..[?$..[?$..[?true]]]]', Array.from({ length: 300 }, (_, n) => ({ n }))],
    ['a large list to sort by', '[/a]', [{ a: Array(60000).fill(1) }]],
    ['objects in objects without end', '[={a:@,b:@}]'.repeat(100), Array(100000).fill(1)],
    ['many long texts', "[=$1][=@+'x'][?@<'y']".replace('$1', `'${'x'.repeat(8000)}'+@`), Array(20000).fill(1)],
    ['many long keys to sort by', '[/$[0]]', Array(40000).fill('x'.repeat(4000))],
    ['a slow pattern', "[?@='*?b?d*']", ['ab'.repeat(1000000)]],
    ['an answer of many levels', '$', JSON.parse(`${'['.repeat(2000)}${']'.repeat(2000)}`)]
  ]) {
    it(`refuses ${what}`, async () => assert.rejects(async () => new JsonQuery(query).textOf(value), { status: 400, error: 'query_too_large' }))
  }

  it('lets others run while it asks a large document', async () => {
    const names = (count, value) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, value]))
    const value = await parseInTurns(JSON.stringify({ list: Array.from({ length: 200000 }, (_, i) => i), objects: Array.from({ length: 100000 }, (_, i) => ({ i })), names: names(200000, 1), inner: names(100000, { i: 1 }), text: 'ab'.repeat(1000000) }))
    for (const query of ['$', '$..i', '$..[^?i].length', 'names.*.length', 'list[^?true].length', 'objects[\\i][0:3]', "list[?$.text='*z*z*'].length"]) {
      await assertShortTurns(query, () => new JsonQuery(query).textOf(value).catch(({ error }) => assert.equal(error, 'query_too_large')))
    }
  })

  it('reads random text, or says why not', async () => {
    const words = ['a', '$', '@', '.', '..', '[', ']', '?', '^?', '=', '<', '~', "'x'", '1', ':', ',', '/', '\\', '(', ')', '{', '}', '&', '|', '*', '-', '!', 'Math', ' ']
    let read = 0
    for (let i = 0; i < 20000; i++) {
      const query = Array.from({ length: 1 + Math.floor(Math.random() * 8) }, () => words[Math.floor(Math.random() * words.length)]).join('')
      try {
        await ask(query, shop)
        read++
      } catch (error) {
        assert.equal(error.error, 'query_parse_error', `${query}: ${error.stack}`)
      }
    }
    assert.ok(read > 100)
  })
})
