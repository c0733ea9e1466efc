'use strict'

const assert = require('node:assert/strict')
const { bombs, named } = require('../../http/support/bombs')
const { assertAnswered, beside, server } = require('../support/functions')

const lists = {
  ...bombs,
  'sends 100 MB': 'function () { for (var i = 0; i < 1000; i++) send("x".repeat(100000)); return "" }',
  'sends a text of 100 MB': 'function () { return "x".repeat(100 * 1024 * 1024) }',
  'sends a million pieces': 'function () { for (var i = 0; i < 1000000; i++) send("x"); return "" }',
  'asks for rows behind the last': 'function () { for (var i = 0; i < 100000; i++) getRow(); return "" }',
  'keeps all rows': 'function () { var row, rows = []; while ((row = getRow())) for (var i = 0; i < 1000; i++) rows.push(JSON.stringify(row)); return String(rows.length) }',
  'changes its rows': 'function () { var row; while ((row = getRow())) { row.id = row; send(String(Object.keys(row).length)) } return "" }',
  'starts twice': 'function () { start({ code: 200 }); send("a"); start({ code: 500 }); getRow(); return "b" }',
  'ends its line': 'function () { start({ headers: { "X-A": "b\\r\\nX-Evil: 1" } }); return "" }',
  'sends what is no text': 'function () { send({ toString: function () { throw 1 } }); return { a: 1 } }',
  'provides without end': 'function () { for (var i = 0; i < 100000; i++) provides("html", function () { return "" }); return "" }',
  'throws after it has sent': 'function () { send("a"); getRow(); throw { forbidden: "no" } }'
}

const GOOD = 'function () { var row, n = 0; while ((row = getRow())) n += row.value; return String(n) }'

const VIEW = { v: { map: 'function (doc) { emit(doc.n, 1) }' } }

/** @type {import('../support/run-shape').Shape} */
module.exports = {
  name: 'list-functions',
  what: 'list and show functions that do their worst, some for clients that do not read, hinder nobody else\'s',
  server,
  sizes: { short: { docs: 100, silent: 2 }, long: { docs: 5000, silent: 40 } },
  bounds: { stall: 300, peak: 700, left: 200 },

  async prepare (subject, { docs }) {
    const all = Array.from({ length: docs }, (_, n) => ({ _id: `d${n}`, n }))
    for (const [name, functions] of Object.entries({ bad: named(lists), good: { f: GOOD } })) {
      await subject.done('PUT', `/${name}`)
      await subject.done('POST', `/${name}/_bulk_docs`, { docs: all })
      await subject.done('PUT', `/${name}/_design/d`, { lists: functions, shows: functions, views: VIEW })
      await subject.done('GET', `/${name}/_design/d/_view/v?limit=1`)
    }
  },

  async attack (subject, { docs, silent }) {
    const attacks = Object.keys(lists).flatMap((what, i) => [
      async () => assertHeard(subject, `/bad/_design/d/_list/f${i}/v?include_docs=true`, what),
      async () => assertHeard(subject, `/bad/_design/d/_show/f${i}/d1`, `${what}, as a show`)
    ])
    const sockets = []
    for (let n = 0; n < silent; n++) {
      const socket = await subject.connect()
      socket.on('error', () => {})
      socket.pause()
      socket.write(subject.head('GET', `/bad/_design/d/_list/f${Object.keys(lists).indexOf('sends 100 MB')}/v`))
      sockets.push(socket)
    }
    const own = await beside(attacks, async () => {
      const { status, text } = await subject.ask('GET', '/good/_design/d/_list/f/v')
      assert.deepEqual([status, text], [200, String(docs)])
    })
    for (const socket of sockets) socket.destroy()
    return own
  }
}

/** A function that fails after it has sent has its connection cut off. */
async function assertHeard (subject, target, what) {
  let answer
  try {
    answer = await subject.ask('GET', target)
  } catch (error) {
    assert.match(String(error.code), /ECONNRESET|HPE_|ERR_STREAM/, `${what}: ${error}`)
    return
  }
  assertAnswered(answer, what)
  assert.equal(answer.headers['x-evil'], undefined, what)
}
