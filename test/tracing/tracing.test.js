'use strict'

const assert = require('node:assert/strict')
const { execFileSync } = require('node:child_process')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { serve } = require('../../server')
const { ask, until } = require('../cluster/support/ask')
const { startServers } = require('../cluster/support/three-servers')
const { Collector } = require('./collector')

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const PARENT = 'b7ad6b7169203331'
const traceparent = `00-${TRACE}-${PARENT}-01`
const SERVER = 2
const CLIENT = 3

const options = { port: 0, storage: 'memory', admins: { admin: 'secret' }, log: () => {}, config: { chttpd_auth: { iterations: 10 }, replicator: { startup_jitter: 0, allowed_hosts: '127.0.0.1' } } }

describe('traces', () => {
  let collector, endpoint, before

  beforeEach(async () => {
    before = { ...process.env }
    collector = new Collector()
    endpoint = await collector.listen()
    Object.assign(process.env, { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' })
  })
  afterEach(async () => {
    // Threads get the variables of the process, and not of an object in their place.
    for (const name of Object.keys(process.env)) if (name.startsWith('OTEL_')) delete process.env[name]
    Object.assign(process.env, before)
    await collector.close()
  })

  it('have a span for each request, sent before the server has stopped', async () => {
    process.env.OTEL_SERVICE_NAME = 'shop'
    const server = await serve(options)
    await ask(server, 'PUT', '/db', undefined, { traceparent })
    await ask(server, 'GET', '/db/a%2Fb?rev=1-a', undefined, { traceparent })
    await ask(server, 'GET', '/%ff')
    await server.close()
    const [put, get, odd] = collector.spans
    assert.equal(collector.resources[0]['service.name'], 'shop')
    assert.deepEqual([put.name, put.kind, put.traceId, put.parentSpanId], ['PUT /:db', SERVER, TRACE, PARENT])
    const { attributes } = get
    assert.equal(get.name, 'GET /:db/:doc')
    assert.equal(attributes['http.route'], '/:db/:doc')
    assert.equal(attributes['http.response.status_code'], 404)
    assert.equal(attributes['db.namespace'], 'db')
    assert.equal(attributes['url.path'], '/db/a%2Fb')
    assert.equal(attributes['server.port'], Number(new URL(server.url).port))
    assert.ok(!JSON.stringify(collector.spans).includes('1-a'))
    assert.deepEqual([odd.name, odd.parentSpanId], ['GET', undefined])
  })

  it('are sampled as the client, or the variables, say', async () => {
    Object.assign(process.env, { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' })
    const server = await serve(options)
    await ask(server, 'GET', '/')
    await ask(server, 'GET', '/_up', undefined, { traceparent: traceparent.replace(/1$/, '0') })
    await ask(server, 'GET', '/_all_dbs', undefined, { traceparent })
    await server.close()
    assert.deepEqual(collector.spans.map(({ name }) => name), ['GET /_all_dbs'])
  })

  it('go on at servers that are replicated to', async () => {
    const [source, target] = [await serve(options), await serve(options)]
    await ask(source, 'PUT', '/from')
    await ask(source, 'PUT', '/from/a', {})
    const url = `${target.url.replace('//', '//admin:secret@')}/to`
    const { status } = await ask(source, 'POST', '/_replicate', { source: 'from', target: url, create_target: true }, { traceparent })
    assert.equal(status, 200)
    await source.close()
    await target.close()
    const spans = collector.spans.filter(({ traceId }) => traceId === TRACE)
    const [asked] = spans.filter(({ name }) => name === 'POST /_replicate')
    const sent = spans.filter(({ kind }) => kind === CLIENT)
    const got = spans.filter(({ kind, attributes }) => kind === SERVER && attributes['db.namespace'] === 'to')
    assert.ok(sent.length > 3)
    assert.ok(sent.every(({ parentSpanId }) => parentSpanId === asked.spanId))
    assert.deepEqual(new Set(got.map(({ parentSpanId }) => parentSpanId)), new Set(sent.map(({ spanId }) => spanId)))
    assert.ok(!JSON.stringify(spans).includes('secret'))
  })

  it('go on at the server of a cluster that has the database', async () => {
    const cluster = await startServers(2, { admins: { admin: 'secret' } })
    const [one, other] = cluster.servers
    for (const server of cluster.servers) await until(() => ask(server, 'GET', '/_membership'), ({ body }) => body.all_nodes.length === 2)
    await ask(one, 'PUT', '/db')
    // Somebody has it then.
    await ask(one, 'PUT', '/db/first', {})
    const asked = one.service.cluster.owns('db') ? other : one
    assert.equal((await ask(asked, 'PUT', '/db/a', {}, { traceparent })).status, 201)
    await cluster.close()
    const spans = collector.spans.filter(({ traceId }) => traceId === TRACE)
    assert.deepEqual(spans.map(({ name }) => name), ['PUT /:db/:doc', 'PUT /:db/:doc'])
    const [first] = spans.filter(({ parentSpanId }) => parentSpanId === PARENT)
    assert.ok(spans.some(({ parentSpanId }) => parentSpanId === first.spanId))
  })

  it('are sent by threads that answer, too, once for each request', async () => {
    const data = fs.mkdtempSync(path.join(os.tmpdir(), 'potoroo-tracing-'))
    const server = await serve({ ...options, path: data, storage: 'pmem', allowVolatile: true, workers: 2 })
    await ask(server, 'PUT', '/db')
    await ask(server, 'PUT', '/db/a', {})
    for (let i = 0; i < 20; i++) await ask(server, 'GET', '/db/a')
    await server.close()
    fs.rmSync(data, { recursive: true })
    assert.equal(collector.spans.filter(({ name }) => name === 'GET /:db/:doc').length, 20)
    assert.equal(collector.spans.length, 22)
  })

  it('are dropped if the collector takes none: requests, memory and the stop do not wait', async () => {
    const silent = new Collector({ isSilent: true })
    const lines = []
    Object.assign(process.env, { OTEL_EXPORTER_OTLP_ENDPOINT: await silent.listen(), OTEL_EXPORTER_OTLP_TIMEOUT: '300', OTEL_BSP_MAX_QUEUE_SIZE: '10', OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '5' })
    const server = await serve({ ...options, log: text => lines.push(text) })
    const queue = []
    for (let i = 0; i < 100; i++) queue.push((await ask(server, 'GET', '/')).status)
    await server.close()
    await silent.close()
    assert.deepEqual(queue, Array(100).fill(200))
    assert.equal(lines.filter(line => line.includes('The collector of traces takes none')).length, 1)
  })

  it('are sent in no protocol that is not there, which the log says', async () => {
    const lines = []
    process.env.OTEL_EXPORTER_OTLP_PROTOCOL = 'grpc'
    const server = await serve({ ...options, log: text => lines.push(text) })
    assert.equal(server.service.tracing, null)
    await server.close()
    assert.ok(lines.some(line => line.includes('http/protobuf and http/json')))
  })

  it('need variables: without them, or switched off, nothing is loaded', () => {
    const script = `require(${JSON.stringify(require.resolve('../../server'))}).serve({ port: 0, storage: 'memory', admins: { a: 'b' }, config: { chttpd_auth: { iterations: 10 } } }).then(async server => {
      await fetch(server.url, { headers: { connection: 'close' } })
      await server.close()
      console.log(Object.keys(require.cache).filter(file => file.includes('opentelemetry')).length)
    })`
    const loaded = more => Number(execFileSync(process.execPath, ['-e', script], { env: { ...before, ...more } }).toString())
    assert.equal(loaded({ OTEL_SERVICE_NAME: 'shop' }), 0)
    assert.equal(loaded({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_SDK_DISABLED: 'true' }), 0)
    assert.equal(loaded({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_TRACES_EXPORTER: 'none' }), 0)
    assert.ok(loaded({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }) > 0)
  })
})
