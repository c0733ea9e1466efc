'use strict'

const assert = require('node:assert/strict')
const { mayChange } = require('../lib/calls/mutation')

describe('whether a function may change its document', () => {
  const reads = [
    'function (doc) { emit(doc.name, doc.age) }',
    'doc => emit([doc.a, doc["b"], doc.c[0]], { n: doc.n === 1, m: doc.m >= 2, o: doc.o == 3, p: doc.p !== 4 })',
    'function (doc) { var n = 0; for (var i = 0; i < doc.tags.length; i++) { n += doc.tags[i].length; emit(doc.tags[i], n) } }',
    'function (doc) { let total = 0; for (const tag of doc.tags) { total = total + 1; emit(tag, total) } }',
    'function (doc) { (doc.keys || []).forEach(function (key) { emit(key, null) }) }',
    'function (doc) { const { a, b } = doc; if (a <= b && doc.c) emit(a + b, doc.c.map(x => x * 2)) } // as it is',
    'function (doc) { var d = new Date(doc.date); emit([d.getFullYear(), d.getMonth() + 1]) }',
    'function (doc) { Object.keys(doc).forEach(name => emit(name, Object.entries(doc[name]).length)) }',
    'function (doc) { i = 0; while (i++ < 3) emit(i) }'
  ]
  for (const source of reads) it(`no: ${source}`, () => assert.equal(mayChange(source), false))

  const writes = [
    'function (doc) { doc.n = 7; emit(doc.n) }',
    'function (doc) { doc["n"] += 7 }',
    'function (doc) { doc.n ??= 7 }',
    'function (doc) { doc . n >>>= 7 }',
    'function (doc) { doc.ä = 1 }',
    'function (doc) { doc.n++ }',
    'function (doc) { --doc.n }',
    'function (doc) { ++doc["n"] }',
    'function (doc) { --(doc.n) }',
    'function (doc) { ++/* here */doc.n }',
    'function (doc) { ++doc/* here */.n }',
    'function (doc) { ++[doc][0].n }',
    'function (doc) { function same (any) { return any } ++same(doc).n }',
    'function (doc) { function Of (any) { return any } ++new Of(doc).n }',
    'function (doc) { delete doc.n }',
    'function (doc) { emit(doc.tags.sort()) }',
    'function (doc) { doc.tags["so" + "rt"]() }',
    'function (doc) { [doc.a, doc.b] = [1, 2] }',
    'function (doc) { ({ a: doc.a } = { a: 1 }) }',
    'function (doc) { for (doc.n of [1, 2]) {} }',
    'function (doc) { for (doc.n in { a: 1 }) {} }',
    'function (doc) { Object.assign(doc, { n: 1 }) }',
    'function (doc) { doc.tags.p\\u0075sh(1) }',
    'function (doc) { doc.n /* here */ = 1 }',
    'function (doc) { doc./* here */n = 1 }',
    'function (doc) { doc.n // here\n = 1 }',
    'function (doc) { require("views/lib/x").change(doc) }',
    'function (doc) { eval("doc.n = 1") }'
  ]
  for (const source of writes) it(`yes: ${source}`, () => assert.equal(mayChange(source), true))

  for (const part of ['\n', ' ', ')', '. ', '.a ', '++a ', '*/ ', '*/\n', 'for ', 'for(', 'var ', 'var {', 'var [a] ', '__']) {
    it(`takes no more than its share of time for many times ${JSON.stringify(part)}`, () => {
      const time = count => {
        const source = part.repeat(count)
        const from = process.cpuUsage()
        mayChange(source)
        const { user, system } = process.cpuUsage(from)
        return user + system
      }
      time(1000)
      assert.ok(time(100_000) < 2_000_000, 'less than two seconds, where its square takes 15')
    })
  }
})
