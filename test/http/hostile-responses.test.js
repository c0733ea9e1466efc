'use strict'

const assert = require('node:assert/strict')
const { bombs, named } = require('./support/bombs')
const { TestDatabase } = require('./support/database')
const { RawConnection } = require('./support/raw')
const { assertRefused } = require('./support/refusal')
const { get } = require('./support/request')
const { setting } = require('./support/setting')

/** Functions that go wrong when they make a response. */
const responses = {
  'a status below any': '{ code: 99, body: "x" }',
  'a status of four digits': '{ code: 1000, body: "x" }',
  'a status that means to go on': '{ code: 101, body: "x" }',
  'a status that is a word': '{ code: "fine", body: "x" }',
  'a value that ends its line': '{ headers: { "X-A": "b\\r\\nX-Evil: 1" }, body: "x" }',
  'a name that ends its line': '{ headers: { "X-A: b\\r\\nX-Evil": "1" }, body: "x" }',
  'a header without a name': '{ headers: { " ": "1" }, body: "x" }',
  'a value with a NUL': '{ headers: { "X-A": "a\\u0000b" }, body: "x" }',
  'headers that are a list': '{ headers: ["a"], body: "x" }',
  'a body that is an object': '{ body: { a: 1 } }',
  'a body that is no base64': '{ base64: "&&&" }',
  'a member that there is not': '{ __proto__: null, surprise: 1 }'
}

describe('responses that nobody should get', () => {
  const db = new TestDatabase()

  Object.keys(responses).forEach((name, i) => {
    it(`${name} is an error`, async () => {
      const shows = named(Object.fromEntries(Object.entries(responses).map(([key, value]) => [key, `function () { return ${value} }`])))
      const lists = named(Object.fromEntries(Object.entries(responses).map(([key, value]) => [key, `function () { start(${value}); send("x") }`])))
      await db.write('_design/d', { shows, lists })
      const show = await db.get(`_design/d/_show/f${i}`)
      assert.equal(show.status, 500, show.text)
      assert.equal(show.headers.get('x-evil'), null)
      const list = await db.get(`_design/d/_list/f${i}/_all_docs`)
      assert.equal(list.headers.get('x-evil'), null)
    })
  })

  it('cannot say how they go over the connection', async () => {
    const headers = '{ "Content-Length": "1", "Transfer-Encoding": "gzip", Connection: "upgrade", Upgrade: "x", Trailer: "y" }'
    await db.write('_design/d', { shows: { f: `function () { return { headers: ${headers}, body: "all of it" } }` }, lists: { f: `function () { start({ headers: ${headers} }); send("all"); getRow(); return " of it" }` } })
    for (const path of ['_show/f', '_list/f/_all_docs']) {
      const { status, text } = await db.get(`_design/d/${path}`)
      assert.deepEqual([status, text], [200, 'all of it'])
    }
  })

  describe('stay in the sandbox', () => {
    const page = '<script>fetch("/_node/_local/_config/admins/evil", { method: "PUT" })</script>'
    const open = '"Content-Security-Policy": "default-src *", "content-security-policy": "script-src *", "Content-Type": "text/html"'
    const answers = {
      'with a policy of their own': `{ headers: { ${open} }, body: ${JSON.stringify(page)} }`,
      'as JSON that is said to be a page': `{ headers: { "Content-Type": "text/html" }, json: ${JSON.stringify(page)} }`,
      'as bytes': `{ headers: { ${open} }, base64: ${JSON.stringify(Buffer.from(page).toString('base64'))} }`,
      'as an error': `{ code: 500, headers: { ${open} }, body: ${JSON.stringify(page)} }`
    }
    for (const [what, answer] of Object.entries(answers)) {
      it(what, async () => {
        await db.write('_design/d', {
          shows: { f: `function () { return ${answer} }` },
          updates: { f: `function () { return [null, ${answer}] }`, w: `function () { return [{ _id: "w" }, ${answer}] }` },
          lists: { f: `function () { start(${answer}); return ${JSON.stringify(page)} }` }
        })
        for (const path of ['_show/f', '_update/f', '_update/w', '_list/f/_all_docs']) {
          const { headers } = await db[path.startsWith('_update') ? 'post' : 'get'](`_design/d/${path}`, path.startsWith('_update') ? '' : undefined)
          assert.match(headers.get('content-security-policy') ?? '', /^sandbox(,|$)/, path)
        }
      })
    }

    it('where a rewrite function answers by itself, too', async () => {
      await db.write('_design/d', { rewrites: `function () { return { code: 200, headers: { ${open} }, body: ${JSON.stringify(page)} } }` })
      const { text, headers } = await db.get('_design/d/_rewrite/x')
      assert.equal(text, page)
      assert.match(headers.get('content-security-policy'), /^sandbox, /)
    })
  })

  it('set no session', async () => {
    const cookies = '{ "Set-Cookie": "AuthSession=forged; Path=/", "set-cookie": " AuthSession =forged", "SET-COOKIE": "mine=1" }'
    await db.write('_design/d', { shows: { f: `function () { return { headers: ${cookies}, body: "" } }` }, lists: { f: `function () { start({ headers: ${cookies} }); return "" }` } })
    for (const path of ['_show/f', '_list/f/_all_docs']) {
      const { headers } = await db.get(`_design/d/${path}`)
      assert.deepEqual(headers.getSetCookie().filter(each => !each.startsWith('mine=1')), [])
    }
  })

  it('have no body where there is none', async () => {
    await db.write('_design/d', { shows: { f: 'function () { return { code: 204, body: "x" } }' }, lists: { f: 'function () { start({ code: 304 }); return "x" }' } })
    assert.deepEqual([(await db.get('_design/d/_show/f')).status, (await db.get('_design/d/_show/f')).text], [204, ''])
    assert.deepEqual([(await db.get('_design/d/_list/f/_all_docs')).status, (await db.get('_design/d/_list/f/_all_docs')).text], [304, ''])
  })
})

describe('functions that do their worst with a request', function () {
  this.timeout(600_000)
  // As long as a machine with much to do may need for one that does nothing.
  setting('query_server_config', 'os_process_timeout', 2500)
  const bad = new TestDatabase()
  const good = new TestDatabase()

  it('get an answer each, and others theirs', async () => {
    const functions = named(bombs)
    await bad.write('_design/d', { shows: functions, lists: functions })
    await bad.write('a')
    await good.write('_design/d', { shows: { f: 'function () { return "fine" }' } })
    const names = Object.keys(functions)
    const answers = names.flatMap(name => [
      bad.get(`_design/d/_show/${name}`),
      bad.get(`_design/d/_list/${name}/_all_docs`)
    ])
    assert.equal((await good.get('_design/d/_show/f')).text, 'fine')
    for (const { status, text } of await Promise.all(answers)) assert.ok(status === 200 || status === 500, `${status} ${text.slice(0, 200)}`)
    assert.equal((await bad.get(`_design/d/_show/${names.at(-1)}`)).text, 'undefined'.repeat(5))
    assert.equal((await get('/_up')).status, 200)
  })

  it('hold up nobody with what is nearly base64', async () => {
    await bad.write('_design/d', { shows: { f: 'function () { return { base64: new Array(1000000).join(" ") + "!" } }' } })
    assertRefused(await bad.get('_design/d/_show/f'), 500, 'unknown_error', 'function_clause')
  })

  it('end by the time limit', async () => {
    await bad.write('_design/d', { shows: { f: bombs['runs for ever'] }, lists: { f: 'function () { send("begun"); getRow(); while (true) {} }' }, rewrites: bombs['runs for ever'] })
    const answers = ['_show/f', '_rewrite/x', '_list/f/_all_docs'].map(path => bad.get(`_design/d/${path}`))
    for (const answer of await Promise.all(answers)) assertRefused(answer, 500, 'os_process_error', 'OS process timed out.')
  })

  it('tell of it behind what they have sent', async () => {
    const docs = Array.from({ length: 20 }, (_, i) => ({ _id: `doc${i}`, text: 'x'.repeat(20_000) }))
    await bad.post('_bulk_docs', { docs })
    await bad.write('_design/d', { lists: { f: 'function () { var row; while (row = getRow()) { send(row.doc.text || ""); if (row.id === "doc9") while (true) {} } }' } })
    const { status, text } = await bad.get('_design/d/_list/f/_all_docs?include_docs=true')
    assert.equal(status, 200)
    assert.ok(text.startsWith('xxx'))
    assert.deepEqual(JSON.parse(text.slice(text.lastIndexOf('{'))), { code: 500, error: 'os_process_error', reason: 'OS process timed out.' })
  })
})

describe('lists whose clients do not read', function () {
  this.timeout(600_000)
  setting('query_server_config', 'os_process_limit', 2)
  const db = new TestDatabase()

  it('give way to others, and what they have not sent is not made', async () => {
    const docs = Array.from({ length: 1000 }, (_, i) => ({ _id: `doc${String(i).padStart(4, '0')}`, n: i }))
    await db.post('_bulk_docs', { docs })
    await db.write('_design/d', {
      views: { v: { map: 'function (doc) { emit(doc._id, doc.n) }' } },
      lists: { big: 'function () { var row; while (row = getRow()) send("x".repeat(50000)) }', small: 'function () { var n = 0; while (getRow()) n++; return "" + n }' }
    })
    const slow = await Promise.all([1, 2, 3].map(async () => {
      const connection = await RawConnection.open()
      connection.pause()
      await connection.request('GET', db.path('_design/d/_list/big/v'), {})
      return connection
    }))
    // A list with more rows than go at once needs a thread of its own for as long as it runs.
    for (let i = 0; i < 3; i++) assert.equal((await db.get('_design/d/_list/small/v?include_docs=true')).text, '1000')
    assert.equal((await db.get('_design/d/_list/big/v?limit=2')).text.length, 100_000)
    await Promise.all(slow.map(connection => connection.reset()))
  })
})
