'use strict'

const assert = require('node:assert/strict')
const { once } = require('node:events')
const fs = require('node:fs')
const http = require('node:http')
const os = require('node:os')
const path = require('node:path')
const fc = require('fast-check')
const { ServerProcess } = require('../support/server-process')
const { request } = require('./requests')

const SECONDS = Number(process.env.FUZZ_SECONDS ?? 12)

/** How long an answer may take, ms: functions of design documents have their own limit, and machines are busy. */
const PATIENCE = 120_000

/** Other errors of status 500 are CouchDB's own, as for functions of design documents. */
const FAULT = /"error":"internal_server_error"/

describe('any request', function () {
  this.timeout((SECONDS + 600) * 1000)
  const authorization = `Basic ${Buffer.from('admin:secret').toString('base64')}`
  const agent = new http.Agent({ keepAlive: true, maxSockets: 4 })
  let folder, server, origin

  before(async () => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'potoroo-fuzz-'))
    fs.writeFileSync(path.join(folder, 'potoroo.ini'), '[chttpd_auth]\niterations = 10\n[query_server_config]\nos_process_timeout = 3000\n[chttpd_auth_lockout]\nmode = off\n')
    server = await ServerProcess.start(['--port', '0', '--data', folder, '--storage', 'pmem', '--size', '1G', '--allow-volatile', '--admin', 'admin:secret'])
    origin = new URL(await server.started)
    for (const name of ['fuzz', 'fuzz2']) await prepare(name)
  })

  after(async () => {
    agent.destroy()
    await server.end('SIGKILL')
    fs.rmSync(folder, { recursive: true, force: true })
  })

  async function prepare (name) {
    const send = (path, body) => ask({ method: 'PUT', path: `/${name}${path}`, headers: { 'Content-Type': 'application/json' }, body: Buffer.from(body) })
    await send('', '')
    for (const id of ['a', 'b', 'c']) await send(`/${id}`, '{}')
    await send('/c/att?rev=1-967a00dff5e02add41819138abb3284d', 'attached')
    await send('/_local/l', '{}')
    await send('/_design/d', JSON.stringify({
      views: { v: { map: 'function (doc) { emit(doc.n, doc.name) }' }, w: { map: 'function (doc) { emit([doc._id, 1], 1) }', reduce: '_sum' }, x: { map: 'function (doc) { emit(1, 1) }', reduce: 'function (k, v, r) { return v.length }' } },
      filters: { x: 'function (doc, req) { return true }' },
      updates: { x: 'function (doc, req) { return [doc, "x"] }' },
      shows: { x: 'function (doc, req) { return "x" }' },
      lists: { x: 'function (head, req) { var row; while (row = getRow()) send(row.id) }' },
      rewrites: [{ from: '/x', to: '_view/v' }, { from: '/*', to: '../../*' }]
    }))
    await send('/_design/broken', '{"views":{"v":{"map":"function (doc) { throw 1 }"}},"filters":{"x":"function (doc) { throw 1 }"}}')
  }

  /** Sends a request and gives its answer; fails when there is none in time. */
  async function ask ({ method, path, headers, body }) {
    const sent = http.request({ agent, host: origin.hostname, port: origin.port, method, path, headers: { authorization, ...headers, 'Content-Length': body.length }, timeout: PATIENCE })
    sent.on('timeout', () => sent.destroy(new Error('no answer in time')))
    sent.end(body)
    const [response] = await once(sent, 'response')
    const chunks = []
    // Feeds that would go on are left.
    const end = setTimeout(() => response.destroy(), 1000)
    try {
      for await (const chunk of response) chunks.push(chunk)
    } catch (error) {
      if (error.code !== 'ECONNRESET') throw error
    } finally {
      clearTimeout(end)
    }
    return { status: response.statusCode, text: Buffer.concat(chunks).toString('utf8') }
  }

  /** Faults in the server's log, with the requests that they belong to. */
  const faults = () => server.output.split('\n').filter(line => line.startsWith('[error]') && !/Adaptive indexes of/.test(line))

  it(`gets an answer that is no fault of the server's, in ${SECONDS} s of them`, async () => {
    const deadline = Date.now() + SECONDS * 1000
    const seed = Number(process.env.FUZZ_SEED ?? Date.now() % 2 ** 31)
    const counts = {}
    let total = 0
    for (const each of requests(seed)) {
      if (Date.now() > deadline && total > SECONDS) break
      const words = `seed ${seed}, request ${total++}: ${each.method} ${each.path} ${JSON.stringify(each.headers)} ${each.body.toString('latin1').slice(0, 3000)}`
      const { status, text } = await ask(each).catch(error => assert.fail(`${error.code ?? error.message}: ${words}\n${server.output.slice(-3000)}`))
      counts[status] = (counts[status] ?? 0) + 1
      assert.deepEqual(faults(), [], `${words}\n${server.output.slice(-3000)}`)
      assert.doesNotMatch(text, FAULT, words)
      // Deleted databases are made again, so that the rest has something to do.
      if (total % 200 === 0) for (const name of ['fuzz', 'fuzz2']) await prepare(name)
    }
    console.log(`      ${total} requests: ${Object.entries(counts).map(([status, count]) => `${status} × ${count}`).join(', ')}`)
    assert.equal((await ask({ method: 'GET', path: '/_up', headers: {}, body: Buffer.alloc(0) })).status, 200)
  })

  function * requests (seed) {
    for (let round = 0; ; round++) yield * fc.sample(request, { seed: seed + round, numRuns: 200 })
  }
})
