'use strict'

const assert = require('node:assert/strict')
const { QueryServer } = require('..')

const req = { path: ['db', '_design', 'd', '_list', 'f'], headers: {}, query: {} }
const origin = { database: 'db', design: '_design/d' }
const functionsOf = source => ({ sources: [source], library: { _id: '_design/d' }, origin })
const call = (doc, more) => JSON.stringify({ doc, req: { ...req, ...more } })

/** Gives batches of rows to a list function, and keeps what it sends. */
class Listener {
  #batches
  pieces = []
  waits = 0
  wanted = true

  constructor (batches) {
    this.#batches = batches.map((rows, i) => ({ rows, last: i === batches.length - 1 }))
  }

  get text () { return Buffer.concat(this.pieces.map(({ body }) => body)).toString() }
  get failure () { return this.pieces.at(-1).failure }
  first () { return JSON.stringify({ head: {}, req, ...this.#batches.shift() }) }
  async rows () { return JSON.stringify(this.#batches.shift()) }
  end (piece) { this.pieces.push(piece) }

  async write (piece) {
    this.pieces.push(piece)
    return this.wanted
  }
}

const rows = count => Array.from({ length: count }, (_, n) => ({ n }))
const NUMBERS = 'function () { var row; while (row = getRow()) send(row.n + ",") }'

describe('rendering', () => {
  /** @type {QueryServer} */
  let server
  const logged = []
  before(() => { server = new QueryServer({ threads: 2, log: entry => logged.push(entry.message) }) })
  // As long as functions that end may take on a machine that has much to do.
  beforeEach(() => server.configure({ timeout: 20_000 }))
  after(() => server.close())

  const list = async (source, batches, change = {}) => {
    const listener = Object.assign(new Listener(batches), change)
    await server.list(functionsOf(source), listener.first(), {
      write: piece => listener.write(piece),
      end: piece => listener.end(piece),
      rows: () => listener.rows(),
      giveWay: () => listener.giveWay?.()
    })
    return listener
  }

  it('gives lists rows in batches', async () => {
    assert.equal((await list(NUMBERS, [rows(3)])).text, '0,1,2,')
    const { text, pieces } = await list(NUMBERS, [rows(2), rows(2), []])
    assert.equal(text, '0,1,0,1,')
    assert.equal(pieces.length, 3)
    assert.deepEqual(pieces.map(({ head }) => head), [{ headers: {} }, undefined, undefined])
  })

  it('takes what lists send in pieces', async () => {
    const { pieces, text } = await list('function () { var row; while (row = getRow()) send("x".repeat(40000)) }', [rows(5)])
    assert.equal(text.length, 200_000)
    assert.ok(pieces.length >= 5)
  })

  it('ends the rows of whom nobody listens to', async () => {
    const { pieces } = await list('function () { var row; while (row = getRow()) send("x".repeat(40000)) }', [rows(1000)], { wanted: false })
    assert.ok(pieces.length <= 3, `${pieces.length} pieces`)
  })

  it('tells what lists throw behind what they sent', async () => {
    const { text, failure } = await list('function () { getRow(); send("a"); getRow(); throw new Error("boo") }', [rows(3)])
    assert.equal(text, 'a')
    assert.match(failure.reason, /^function raised error: Error: boo/)
    await assert.rejects(list('function () { send("a"); throw new Error("boo") }', [rows(3)]), { error: 'render_error' })
  })

  it('ends what hangs, though it hangs between rows', async () => {
    server.configure({ timeout: 500 })
    await assert.rejects(list('function () { getRow(); getRow(); while (true) {} }', [rows(1), rows(1)]), { reason: 'OS process timed out.' })
    server.configure({ timeout: 20_000 })
    assert.equal((await list(NUMBERS, [rows(1)])).text, '0,')
  })

  it('does not count the time that others take', async () => {
    server.configure({ timeout: 2000 })
    let given = 0
    const slowly = { async rows () { await new Promise(resolve => setTimeout(resolve, 800)); return JSON.stringify({ rows: rows(1), last: ++given === 3 }) } }
    assert.equal((await list(NUMBERS, [rows(1), []], slowly)).text, '0,0,0,0,')
  })

  it('ends lists whose rows cannot be read', async () => {
    const failing = { async rows () { throw new Error('no rows') } }
    await assert.rejects(list(NUMBERS, [rows(1), []], failing), /no rows/)
    assert.equal((await list(NUMBERS, [rows(1)])).text, '0,')
  })

  it('asks the list that has waited for longest to give way where all threads are taken', async () => {
    const ends = []
    const waiting = [0, 1].map(i => {
      const blocked = new Promise(resolve => { ends[i] = resolve })
      return list(NUMBERS, [rows(1), []], { rows: () => blocked, giveWay: () => ends[i]('{"rows":[],"last":true}') })
    })
    const third = await list(NUMBERS, [rows(1), rows(1)])
    assert.equal(third.text, '0,0,')
    for (const end of ends) end('{"rows":[],"last":true}')
    for (const { text } of await Promise.all(waiting)) assert.equal(text, '0,')
  })

  it('runs other functions beside lists that wait', async () => {
    const ends = []
    const waiting = [0, 1].map(i => list(NUMBERS, [rows(1), []], { rows: () => new Promise(resolve => { ends[i] = resolve }) }))
    assert.deepEqual(await server.render(functionsOf('function () { return "shown" }'), 'show', call(null)), { body: 'shown' })
    while (ends.filter(Boolean).length < 2) await new Promise(resolve => setImmediate(resolve))
    for (const end of ends) end('{"rows":[],"last":true}')
    await Promise.all(waiting)
  })

  it('runs calls that come together together, and each fails alone', async () => {
    server.configure({ timeout: 1500 })
    const functions = functionsOf('function (doc) { if (doc.bad === "throws") throw { error: "teapot", reason: doc._id }; while (doc.bad === "hangs"); return doc._id }')
    const docs = Array.from({ length: 30 }, (_, i) => ({ _id: `doc${i}`, bad: { 7: 'throws', 13: 'hangs' }[i] }))
    const results = await Promise.allSettled(docs.map(doc => server.render(functions, 'show', call(doc))))
    results.forEach((result, i) => {
      if (i === 7) assert.deepEqual([result.reason.error, result.reason.reason], ['teapot', 'doc7'])
      else if (i === 13) assert.equal(result.reason.reason, 'OS process timed out.')
      else assert.deepEqual(result.value, { body: `doc${i}` })
    })
  })

  it('takes short lists whole, unless they send much', async () => {
    const json = JSON.stringify({ head: {}, req, rows: rows(20), last: true })
    assert.equal((await server.shortList(functionsOf(NUMBERS), json)).body.toString().split(',').length, 21)
    const lengthy = functionsOf('function () { var row; try { while (row = getRow()) send("x".repeat(50000)) } catch (e) {} throw 1 }')
    assert.equal(await server.shortList(lengthy, json), null)
    assert.equal(await server.shortList(lengthy, json), null)
  })

  it('closes while lists wait', async () => {
    const other = new QueryServer({ threads: 1 })
    const listener = new Listener([rows(1), []])
    let begun
    const waits = new Promise(resolve => { begun = resolve })
    const never = other.list(functionsOf(NUMBERS), listener.first(), { write: async () => true, end () {}, rows: () => new Promise(() => begun()) })
    const queued = other.list(functionsOf(NUMBERS), new Listener([rows(1)]).first(), { write: async () => true, end () {}, rows: async () => '' })
    await waits
    await Promise.all([other.close(), assert.rejects(never, { code: 'CLOSED' }), assert.rejects(queued, { code: 'CLOSED' })])
  })
})
