'use strict'

const assert = require('node:assert/strict')
const crypto = require('node:crypto')
const { assertRefused } = require('./support/refusal')
const { get, post, put, remove, request } = require('./support/request')
const { Settings } = require('./support/settings')
const { NOBODY, TestUsers } = require('./support/users')

const JSON_TYPE = { headers: { 'Content-Type': 'application/json' } }

describe('calls of functions in design documents', function () {
  if (process.env.TEST_URL !== undefined) return
  this.timeout(600_000)
  const users = new TestUsers()
  const settings = new Settings()
  let db

  beforeEach(async () => {
    db = `/rpc-${crypto.randomUUID()}`
    assert.equal((await put(`${db}?q=1`)).status, 201)
  })
  afterEach(() => remove(db))

  /** Sets the functions of `_design/app`. */
  async function define (rpc, more) {
    const { body } = await get(`${db}/_design/app`)
    const answer = await put(`${db}/_design/app`, { _rev: body._rev, rpc, ...more })
    assert.equal(answer.status, 201, answer.text)
  }
  const send = (body, options) => post(`${db}/_design/app/_rpc`, body, options)
  const call = async (method, params, options) => {
    const { status, body, text } = await send({ jsonrpc: '2.0', method, params, id: 1 }, options)
    assert.equal(status, 200, text)
    const { jsonrpc, id, ...outcome } = body
    assert.deepEqual([jsonrpc, id], ['2.0', 1])
    return outcome
  }
  /** Calls one function. */
  const run = async (body, params, options) => {
    await define({ f: `function (params, tx) { ${body} }` })
    return call('f', params, options)
  }
  const write = async (id, body) => {
    const answer = await put(`${db}/${id}`, body)
    assert.equal(answer.status, 201, answer.text)
    return answer.body.rev
  }
  const docOf = async id => (await get(`${db}/${id}`)).body

  describe('by JSON-RPC 2.0, in the examples of its specification,', () => {
    const FUNCTIONS = {
      subtract: 'function (params) { return Array.isArray(params) ? params[0] - params[1] : params.minuend - params.subtrahend }',
      sum: 'function (params) { return params.reduce(function (a, b) { return a + b }) }',
      update: 'function () { return "nobody is told" }',
      notify_hello: 'function () { throw new Error("nobody is told") }',
      notify_sum: 'function () {}',
      get_data: 'function () { return ["hello", 5] }'
    }
    const parseError = '{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"},"id":null}'
    const invalid = '{"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid Request"},"id":null}'
    const examples = [
      ['positional parameters', '{"jsonrpc": "2.0", "method": "subtract", "params": [42, 23], "id": 1}', '{"jsonrpc":"2.0","result":19,"id":1}'],
      ['positional parameters, turned', '{"jsonrpc": "2.0", "method": "subtract", "params": [23, 42], "id": 2}', '{"jsonrpc":"2.0","result":-19,"id":2}'],
      ['named parameters', '{"jsonrpc": "2.0", "method": "subtract", "params": {"subtrahend": 23, "minuend": 42}, "id": 3}', '{"jsonrpc":"2.0","result":19,"id":3}'],
      ['named parameters, turned', '{"jsonrpc": "2.0", "method": "subtract", "params": {"minuend": 42, "subtrahend": 23}, "id": 4}', '{"jsonrpc":"2.0","result":19,"id":4}'],
      ['a notification', '{"jsonrpc": "2.0", "method": "update", "params": [1,2,3,4,5]}', ''],
      ['a notification of a method that is not there', '{"jsonrpc": "2.0", "method": "foobar"}', ''],
      ['a method that is not there', '{"jsonrpc": "2.0", "method": "foobar", "id": "1"}', '{"jsonrpc":"2.0","error":{"code":-32601,"message":"Method not found"},"id":"1"}'],
      ['invalid JSON', '{"jsonrpc": "2.0", "method": "foobar, "params": "bar", "baz]', parseError],
      ['an invalid request', '{"jsonrpc": "2.0", "method": 1, "params": "bar"}', invalid],
      ['a batch of invalid JSON', '[{"jsonrpc": "2.0", "method": "sum", "params": [1,2,4], "id": "1"}, {"jsonrpc": "2.0", "method"]', parseError],
      ['an empty batch', '[]', invalid],
      ['an invalid batch', '[1]', `[${invalid}]`],
      ['an invalid batch of several', '[1,2,3]', `[${invalid},${invalid},${invalid}]`],
      ['a batch', `[
        {"jsonrpc": "2.0", "method": "sum", "params": [1,2,4], "id": "1"},
        {"jsonrpc": "2.0", "method": "notify_hello", "params": [7]},
        {"jsonrpc": "2.0", "method": "subtract", "params": [42,23], "id": "2"},
        {"foo": "boo"},
        {"jsonrpc": "2.0", "method": "foo.get", "params": {"name": "myself"}, "id": "5"},
        {"jsonrpc": "2.0", "method": "get_data", "id": "9"}
      ]`, `[{"jsonrpc":"2.0","result":7,"id":"1"},{"jsonrpc":"2.0","result":19,"id":"2"},${invalid},{"jsonrpc":"2.0","error":{"code":-32601,"message":"Method not found"},"id":"5"},{"jsonrpc":"2.0","result":["hello",5],"id":"9"}]`],
      ['a batch of notifications', '[{"jsonrpc": "2.0", "method": "notify_sum", "params": [1,2,4]}, {"jsonrpc": "2.0", "method": "notify_hello", "params": [7]}]', '']
    ]

    for (const [name, sent, expected] of examples) {
      it(`answer ${name}`, async () => {
        await define(FUNCTIONS)
        const { status, text } = await send(sent, JSON_TYPE)
        assert.deepEqual([status, text.trim()], [expected === '' ? 204 : 200, expected])
      })
    }

    it('take what is a request, and nothing else', async () => {
      await define({ f: 'function (params) { return params === undefined ? "none" : params }', 'rpc.f': 'function () {}' })
      const one = more => send({ jsonrpc: '2.0', method: 'f', id: 'x', ...more }).then(({ body }) => body)
      assert.deepEqual(await one({}), { jsonrpc: '2.0', result: 'none', id: 'x' })
      assert.deepEqual(await one({ id: null, params: {} }), { jsonrpc: '2.0', result: {}, id: null })
      assert.deepEqual(await one({ id: 1.5 }), { jsonrpc: '2.0', result: 'none', id: 1.5 })
      for (const wrong of [{ jsonrpc: '1.0' }, { jsonrpc: 2 }, { method: null }, { params: null }, { params: 'x' }, { params: 1 }]) {
        assert.deepEqual(await one(wrong), { jsonrpc: '2.0', error: { code: -32600, message: 'Invalid Request' }, id: 'x' }, JSON.stringify(wrong))
      }
      for (const id of [true, [1], {}]) assert.deepEqual(await one({ id }), { jsonrpc: '2.0', error: { code: -32600, message: 'Invalid Request' }, id: null })
      for (const method of ['toString', '__proto__', 'rpc.f', '']) assert.equal((await one({ method })).error.code, -32601, method)
    })

    it('are HTTP only to find them', async () => {
      assertRefused(await send({}), 404, 'not_found')
      await write('_design/app', { views: {} })
      assert.deepEqual((await call('f')).error, { code: -32601, message: 'Method not found' })
      assertRefused(await send('{}', { headers: { 'Content-Type': 'text/plain' } }), 415, 'bad_content_type')
      assertRefused(await request('GET', `${db}/_design/app/_rpc`), 405, 'method_not_allowed', 'Only POST allowed')
      assertRefused(await send({}, NOBODY), 401, 'unauthorized')
      await settings.set('rpc', 'max_calls', 2)
      const batch = Array(3).fill({ jsonrpc: '2.0', method: 'f', id: 1 })
      assert.deepEqual((await send(batch)).body, { jsonrpc: '2.0', error: { code: -32600, message: 'Invalid Request', data: 'A batch has at most 2 requests' }, id: null })
      await settings.set('rpc', 'max_bytes', 1000)
      assertRefused(await send([{ filler: 'x'.repeat(1000) }]), 413, 'too_large')
    })
  })

  it('read and write documents in one commit', async () => {
    await write('ann', { amount: 100, _attachments: { f: { content_type: 'text/plain', data: 'aGk=' } } })
    await write('ben', { amount: 20 })
    await write('old', {})
    await define({
      move: `function (params, tx) {
        var from = tx.get(params.from), to = tx.get(params.to)
        if (from.amount < params.amount) throw { code: 1, message: 'There is not enough', data: { amount: from.amount } }
        from.amount -= params.amount
        to.amount += params.amount
        tx.put(from)
        tx.put(to)
        tx.remove('old')
        return { left: from.amount, log: tx.put({ type: 'log', by: tx.user.name }).id }
      }`
    })
    const { result } = await call('move', { from: 'ann', to: 'ben', amount: 30 })
    assert.equal(result.left, 70)
    assert.deepEqual([(await docOf('ann')).amount, (await docOf('ben')).amount, (await docOf(result.log)).by], [70, 50, 'admin'])
    assert.equal((await get(`${db}/ann/f`)).text, 'hi')
    assertRefused(await get(`${db}/old`), 404, 'not_found', 'deleted')
    assert.deepEqual(await call('move', { from: 'ann', to: 'ben', amount: 1000 }), { error: { code: 1, message: 'There is not enough', data: { amount: 70 } } })
    assert.equal((await docOf('ann')).amount, 70)
  })

  it('find documents, and write what they found', async () => {
    await post(`${db}/_bulk_docs`, { docs: Array.from({ length: 10 }, (_, n) => ({ _id: `d${n}`, n })) })
    const found = await run(`
      var docs = tx.find({ selector: { n: { $gte: params[0] } }, limit: 5 })
      docs.forEach(function (doc) { doc.seen = true; tx.put(doc) })
      return docs.map(function (doc) { return doc.n })
    `, [7])
    assert.deepEqual(found, { result: [7, 8, 9] })
    assert.deepEqual([(await docOf('d7')).seen, (await docOf('d6')).seen], [true, undefined])
    for (const request of [{}, { selector: {}, skip: 1 }, { selector: {}, fields: ['n'] }, { selector: {}, limit: 0 }, { selector: {}, limit: 1e9 }, { selector: { n: { $no: 1 } } }, null, 7]) {
      assert.equal((await run('return tx.find(params[0])', [request])).error?.code, -32000, JSON.stringify(request))
    }
  })

  it('see no local documents, and write none', async () => {
    for (const body of ['return tx.get("_local/x")', 'tx.put({ _id: "_local/x" })']) {
      assert.deepEqual((await run(body)).error.data, { error: 'bad_request', reason: 'Calls read and write no local documents' })
    }
    assert.equal((await run('tx.get("_x")')).error.data.error, 'illegal_docid')
  })

  it('throw what is told by code and message', async () => {
    const error = async body => (await run(body)).error
    assert.deepEqual(await error('throw { forbidden: "no" }'), { code: -32003, message: 'no', data: { error: 'forbidden', reason: 'no' } })
    assert.deepEqual(await error('throw { unauthorized: "who" }'), { code: -32001, message: 'who', data: { error: 'unauthorized', reason: 'who' } })
    assert.deepEqual(await error('throw { code: -32602, message: "a is missing" }'), { code: -32602, message: 'a is missing' })
    assert.deepEqual(await error('throw { code: 42, message: "m", data: null }'), { code: 42, message: 'm', data: null })
    assert.deepEqual(await error('throw new TypeError("t")'), { code: -32603, message: 't', data: { error: 'TypeError', reason: 't' } })
    assert.deepEqual(await error('tx.put({ _id: "a", _rev: "1-x" })'), { code: -32009, message: 'Document update conflict.', data: { error: 'conflict', reason: 'Document update conflict.' } })
    assert.equal((await error('tx.put({ _id: "a", _special: 1 })')).code, -32000)
    assert.equal((await error('tx.remove("none")')).code, -32004)
    assert.match((await error('{{{')).message, /SyntaxError/)
    await define({ f: { no: 'function' } })
    assert.equal((await call('f')).error.code, -32603)
    await define({ f: 'function () {}' }, { language: 'cobol' })
    assert.deepEqual((await call('f')).error, { code: -32603, message: 'cobol', data: { error: 'unknown_query_language', reason: 'cobol' } })
  })

  it('write what validation lets them, as the user who calls', async () => {
    const member = await users.add({ roles: ['editor'] })
    assert.equal((await put(`${db}/_security`, { members: { names: [member.name] } })).status, 200)
    await write('_design/v', { validate_doc_update: 'function (doc, old, user) { if (doc.by !== user.name) throw { forbidden: "You are " + user.name } }' })
    await define({ write: 'function (params, tx) { tx.put({ _id: "first", by: tx.user.name }); tx.put({ _id: params.id || "a", by: params.by || tx.user.name }); return tx.user }' })
    assert.deepEqual(await call('write', {}, member.as), { result: { name: member.name, roles: ['editor'] } })
    assert.equal((await docOf('a')).by, member.name)
    const refused = await call('write', { id: 'b', by: 'admin' }, member.as)
    assert.equal(refused.error.code, -32009, 'there is a first one already')
    await remove(`${db}/first?rev=${(await docOf('first'))._rev}`, member.as)
    await define({ write: 'function (params, tx) { tx.put({ _id: "x", by: tx.user.name }); tx.put({ _id: params.id, by: params.by }) }' })
    assert.deepEqual((await call('write', { id: 'b', by: 'admin' }, member.as)).error, { code: -32003, message: `You are ${member.name}`, data: { error: 'forbidden', reason: `You are ${member.name}`, id: 'b' } })
    assert.deepEqual((await call('write', { id: '_design/d', by: 'x' }, member.as)).error, { code: -32003, message: 'You are not a db or server admin.', data: { error: 'forbidden', reason: 'You are not a db or server admin.', id: '_design/d' } })
    assertRefused(await get(`${db}/x`), 404, 'not_found')
    assertRefused(await send({ jsonrpc: '2.0', method: 'write', id: 1 }, NOBODY), 401, 'unauthorized')
  })

  it('are not for users of _users, and not for databases of several shards', async () => {
    const jan = await users.add()
    await settings.set('couchdb', 'users_db_security_editable', true)
    assert.equal((await put('/_users/_security', { members: {}, admins: { names: [] } })).status, 200)
    try {
      assert.equal((await post('/_users/_design/_auth/_rpc', {}, jan.as)).status, 403)
    } finally {
      assert.equal((await put('/_users/_security', { members: { roles: ['_admin'] }, admins: { roles: ['_admin'] } })).status, 200)
    }
    const sharded = `${db}-shards`
    assert.equal((await put(`${sharded}?q=2`)).status, 201)
    try {
      assertRefused(await post(`${sharded}/_design/app/_rpc`, {}), 501, 'not_implemented')
    } finally {
      await remove(sharded)
    }
  })

  describe('beside each other', () => {
    it('lose no increment of a counter', async () => {
      await write('counter', { n: 0 })
      await define({ add: 'function (params, tx) { var c = tx.get("counter"); c.n += params[0]; tx.put(c); return c.n }' })
      const results = await Promise.all(Array.from({ length: 40 }, () => call('add', [1])))
      assert.deepEqual(results.map(({ result }) => result).sort((a, b) => a - b), Array.from({ length: 40 }, (_, i) => i + 1))
      assert.equal((await docOf('counter')).n, 40)
    })

    it('keep a sum, and see one moment of it', async () => {
      const ids = ['a', 'b', 'c', 'd']
      for (const id of ids) await write(id, { amount: 100 })
      await define({
        move: 'function (p, tx) { if (p[0] === p[1]) return; var a = tx.get(p[0]), b = tx.get(p[1]); a.amount -= p[2]; b.amount += p[2]; tx.put(a); tx.put(b) }',
        total: 'function (p, tx) { return ["a", "b", "c", "d"].reduce(function (sum, id) { return sum + tx.get(id).amount }, 0) }',
        found: 'function (p, tx) { return tx.get("a").amount + tx.find({ selector: { _id: { $gt: "a" }, amount: { $gte: -1e9 } } }).reduce(function (sum, doc) { return sum + doc.amount }, 0) }',
        check: 'function (p, tx) { var sum = ["a", "b", "c", "d"].reduce(function (sum, id) { return sum + tx.get(id).amount }, 0); if (sum !== 400) throw { code: 1, message: "The sum is " + sum } }'
      })
      const work = Array.from({ length: 30 }, (_, i) => [
        call('move', [ids[i % 4], ids[(i * 3 + 1) % 4], i]), call('total'), call('check'), ...(i % 5 === 0 ? [call('found')] : [])
      ]).flat()
      const outcomes = await Promise.all(work)
      for (const outcome of outcomes) assert.ok(outcome.error === undefined && [null, 400].includes(outcome.result), JSON.stringify(outcome))
      assert.deepEqual((await call('total')).result, 400)
    })

    it('find no document that another adds meanwhile', async () => {
      await define({ book: 'function (p, tx) { if (tx.find({ selector: { room: p[0] } }).length > 0) return false; tx.put({ room: p[0] }); return true }' })
      for (const room of [1, 2, 3]) {
        const results = await Promise.all(Array.from({ length: 6 }, () => call('book', [room])))
        assert.equal(results.filter(({ result }) => result === true).length, 1, JSON.stringify(results))
      }
      assert.equal((await post(`${db}/_find`, { selector: { room: { $gt: 0 } } })).body.docs.length, 3)
    })

    it('give up when others always come first', async () => {
      await write('counter', { n: 0 })
      await settings.set('rpc', 'max_attempts', 1)
      await define({ add: 'function (params, tx) { var c = tx.get("counter"); c.n++; tx.put(c); return c.n }' })
      const outcomes = await Promise.all(Array.from({ length: 10 }, () => call('add')))
      const lost = outcomes.filter(({ error }) => error !== undefined)
      for (const { error } of lost) assert.deepEqual(error, { code: -32009, message: 'Other writes came first in 1 attempts.', data: { error: 'conflict', reason: 'Other writes came first in 1 attempts.' } })
      assert.ok(lost.length > 0)
      assert.equal((await docOf('counter')).n, 10 - lost.length)
    })
  })

  describe('have limits:', () => {
    it('time and memory of the function', async () => {
      await settings.set('query_server_config', 'os_process_timeout', 300)
      assert.deepEqual((await run('while (true) {}')).error, { code: -32008, message: 'OS process timed out.', data: { error: 'os_process_error', reason: 'OS process timed out.' } })
      await settings.set('query_server_config', 'os_process_memory', 16 * 1024 * 1024)
      await settings.set('rpc', 'max_documents', 1000000)
      await settings.set('rpc', 'max_bytes', 1000000000)
      // Close to its limit, the engine may collect garbage until its time is over.
      for (const bomb of ['var a = []; while (true) a.push(new Array(1000).join("x") + a.length)', 'for (;;) tx.put({})']) {
        const { error } = await run(bomb)
        assert.match(error.message, /out of memory|timed out/, JSON.stringify(error))
      }
      await settings.set('query_server_config', 'os_process_timeout', 20000)
      assert.match((await run('return "x".repeat(8000000).split("")')).error.message, /out of memory/)
      assert.deepEqual(await run('return 1'), { result: 1 })
    })

    it('time of the call, with all that it waits for', async () => {
      await settings.set('rpc', 'timeout', 1)
      assert.deepEqual((await run('for (var i = 0; i < 100000; i++) tx.get("d" + i)')).error.code, -32008)
    })

    it('documents that are read and written', async () => {
      await settings.set('rpc', 'max_documents', 5)
      await post(`${db}/_bulk_docs`, { docs: Array.from({ length: 10 }, (_, n) => ({ _id: `d${n}`, n })) })
      const data = (reason) => ({ code: -32013, message: reason, data: { error: 'too_large', reason } })
      assert.deepEqual((await run('for (var i = 0; i < 100000; i++) tx.put({ i: i })')).error, data('A call writes at most 5 documents'))
      assert.deepEqual((await run('for (var i = 0; i < 100000; i++) tx.get("d" + i)')).error, data('A call reads at most 5 documents'))
      assert.deepEqual((await run('tx.get("x"); return tx.find({ selector: { n: { $gte: 0 } }, limit: 5 })')).error, data('A call reads at most 5 documents'))
      assert.equal((await run('for (var i = 0; i < 5; i++) tx.put({ i: i }); return i')).result, 5)
      assert.equal((await get(`${db}`)).body.doc_count, 16)
    })

    it('bytes that are read, written and returned', async () => {
      await settings.set('rpc', 'max_bytes', 10000)
      await write('large', { filler: 'x'.repeat(20000) })
      assert.equal((await run('return tx.get("large")')).error.message, 'A call reads at most 10000 bytes')
      assert.equal((await run('return tx.find({ selector: { filler: { $gt: 0 } } })')).error.message, 'A call reads at most 10000 bytes')
      assert.equal((await run('tx.put({ filler: new Array(20000).join("x") })')).error.message, 'A call writes at most 10000 bytes')
      assert.equal((await run('return new Array(20000).join("x")')).error.message, 'A call gives at most 10000 bytes')
      await settings.set('couchdb', 'max_document_size', 200)
      assert.deepEqual((await run('tx.put({ _id: "x", filler: new Array(300).join("x") })')).error, { code: -32013, message: 'x', data: { error: 'document_too_large', reason: 'x' } })
    })

    it('and nobody else waits while they are reached', async () => {
      await settings.set('query_server_config', 'os_process_timeout', 3000)
      await define({ loop: 'function () { while (true) {} }', quick: 'function () { return 1 }' })
      let order = []
      // The calmest of several runs counts: loops end by the clock, also while the machine has no time for the quick one.
      for (let runs = 0; runs < 5 && order[0] !== 'quick'; runs++) {
        order = []
        const loops = Array.from({ length: 4 }, () => call('loop').then(({ error }) => order.push(error.code)))
        await call('quick')
        order.push('quick')
        await Promise.all(loops)
      }
      assert.deepEqual(order, ['quick', -32008, -32008, -32008, -32008])
    })
  })
})
