'use strict'

const assert = require('node:assert/strict')
const { spawnSync } = require('node:child_process')
const { QueryServer } = require('..')

describe('query server', function () {
  /** @type {QueryServer} */
  let server

  before(function () { server = new QueryServer({ timeout: 20_000, memory: 32 * 1024 * 1024 }) })
  after(function () { return server.close() })

  it('maps documents with several functions at once', async function () {
    const sources = ['function (doc) { emit(doc._id, doc.n); emit(doc._id, 2 * doc.n) }', 'doc => { if (doc.n > 1) emit(null) };']
    const rows = await server.map({ sources }, [{ _id: 'a', n: 1 }, '{"_id":"b","n":2}'])
    assert.deepEqual(rows, [[[['a', 1], ['a', 2]], []], [[['b', 2], ['b', 4]], [[null, null]]]])
  })

  it('leaves out the document whose map function throws', async function () {
    const rows = await server.map({ sources: ['doc => { emit(1, 1); emit(doc.a.b, 2) }'] }, [{}, { a: { b: 3 } }])
    assert.deepEqual(rows, [[[]], [[[1, 1], [3, 2]]]])
  })

  it('does not let one function change what the next one sees', async function () {
    const rows = await server.map({ sources: ['function (doc) { doc.n = 7; emit(doc.n) }', 'doc => emit(doc.n)'] }, [{ n: 1 }])
    assert.deepEqual(rows[0][1], [[1, null]])
  })

  it('filters with the request at hand', async function () {
    const passed = await server.filter({ sources: ['function (doc, req) { return doc.type === req.query.type }'] }, [{ type: 'a' }, { type: 'b' }], { query: { type: 'b' } })
    assert.deepEqual(passed, [false, true])
  })

  it('reduces, and gives sum and require', async function () {
    const library = { lib: { twice: 'exports.twice = function (n) { return 2 * n }' } }
    const reductions = await server.reduce({ sources: ['(keys, values, rereduce) => require("lib/twice").twice(sum(values))'], library }, [[[['k', 'id']], [1, 2]], [null, [5]]])
    assert.deepEqual(reductions, [[6], [10]])
  })

  it('says what does not compile', async function () {
    await assert.rejects(server.map({ sources: ['function ('] }, []), { status: 500, error: 'compilation_error' })
    await assert.rejects(server.map({ sources: ['1 + 1'] }, []), { error: 'compilation_error', reason: 'Expression does not eval to a function. (1 + 1)' })
  })

  it('passes on what a filter throws', async function () {
    await assert.rejects(server.filter({ sources: ['function () { throw { forbidden: "no" } }'] }, [{}]), { status: 403, error: 'forbidden', reason: 'no' })
    await assert.rejects(server.filter({ sources: ['doc => doc.a.b'] }, [{}]), { status: 500, error: 'TypeError' })
  })

  it('takes limits that are too large for a timer, or for WebAssembly', async function () {
    const huge = { timeout: 1e12, memory: 2 ** 32, idle: 1e12 }
    const given = new QueryServer(huge)
    const told = new QueryServer()
    told.configure(huge)
    for (const other of [given, told]) {
      const functions = { sources: ['function (doc) { var end = Date.now() + 20; while (Date.now() < end) {} emit(doc.n) }'] }
      assert.deepEqual(await other.map(functions, [{ n: 1 }]), [[[[1, null]]]])
      await new Promise(resolve => setImmediate(resolve))
      assert.deepEqual(other.size, { threads: 1, busy: 0 })
      await other.close()
    }
  })

  it('says so where no thread can be started', function () {
    const script = `const { QueryServer } = require(${JSON.stringify(require.resolve('..'))})
      new QueryServer().map({ sources: ['() => 1'] }, [{}]).catch(({ name, error, reason }) => console.log(name, error, reason))`
    const { stdout, stderr } = spawnSync(process.execPath, ['--experimental-permission', '--allow-fs-read=*', '-e', script], { encoding: 'utf8' })
    assert.equal(stdout, 'CouchError os_process_error No thread could be started\n', stderr)
  })

  it('refuses work once closed', async function () {
    const other = new QueryServer()
    await other.close()
    await assert.rejects(other.map({ sources: [] }, []), { code: 'CLOSED' })
  })
})
