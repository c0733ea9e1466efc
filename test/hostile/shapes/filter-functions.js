'use strict'

const assert = require('node:assert/strict')
const { bombs, named } = require('../../http/support/bombs')
const { assertAnswered, beside, server } = require('../support/functions')

const filters = {
  ...bombs,
  'changes what it is given': 'function (doc, req) { doc._id = doc._rev = "x"; delete req.query; return true }',
  'says it with an object': 'function (doc) { return { valueOf: function () { throw 1 } } }',
  'is let through by a promise': 'function () { return Promise.reject(1) }',
  'asks for rows': 'function () { return getRow() }',
  'emits without end': 'function (doc) { while (true) emit(doc, doc) }',
  'fills the log': 'function () { for (var i = 0; i < 100000; i++) log("x".repeat(1000)) }',
  'changes its mind': 'function (doc) { globalThis.n = (globalThis.n || 0) + 1; return n % 2 === 0 }',
  'is slow for each': 'function () { var end = Date.now() + 100; while (Date.now() < end); return true }'
}

const GOOD = 'function (doc) { return doc.n % 2 === 0 }'

/** @type {import('../support/run-shape').Shape} */
module.exports = {
  name: 'filter-functions',
  what: 'filters of _changes that do their worst, in every feed, hinder nobody else\'s',
  server,
  sizes: { short: { docs: 20, feeds: ['normal'] }, long: { docs: 200, feeds: ['normal', 'longpoll', 'continuous', 'eventsource'] } },
  bounds: { stall: 300, peak: 700, left: 150 },

  async prepare (subject, { docs }) {
    const all = Array.from({ length: docs }, (_, n) => ({ _id: `d${n}`, n }))
    for (const [name, functions] of Object.entries({ bad: named(filters), good: { f: GOOD } })) {
      await subject.done('PUT', `/${name}`)
      await subject.done('POST', `/${name}/_bulk_docs`, { docs: all })
      await subject.done('PUT', `/${name}/_design/d`, { filters: functions, views: { loop: { map: filters['runs for ever'] } } })
    }
  },

  async attack (subject, { docs, feeds }) {
    const request = { doc_ids: ['d1'], text: 'x'.repeat(500_000) }
    const attacks = feeds.flatMap(feed => Object.keys(filters).flatMap((what, i) => [
      async () => assertAnswered(await subject.ask('GET', `/bad/_changes?filter=d/f${i}&feed=${feed}&timeout=500&limit=10`), `${feed}: ${what}`),
      ...(feed === 'normal' ? [async () => assertAnswered(await subject.ask('POST', `/bad/_changes?filter=d/f${i}`, request), `${what}, of a long request`)] : [])
    ]))
    attacks.push(async () => assertAnswered(await subject.ask('GET', '/bad/_changes?filter=_view&view=d/loop'), 'a view as a filter'))
    return beside(attacks, async () => {
      const { status, body } = await subject.ask('GET', '/good/_changes?filter=d/f')
      assert.equal(status, 200)
      assert.equal(body.results.length, docs / 2)
    })
  }
}
