'use strict'

const assert = require('node:assert/strict')
const { once } = require('node:events')
const { mkdtempSync, readFileSync, rmSync, writeFileSync } = require('node:fs')
const http = require('node:http')
const { tmpdir } = require('node:os')
const path = require('node:path')
const { build } = require('esbuild')

const { launchChromium } = require('../../../test/support/chromium')
const { bundle } = require('../scripts/bundle')

/** An application, in a page or in a worker: `run(name, ...arguments)` calls a method of its database. */
const APPLICATION = `
import PouchDB from 'pouchdb-core'
import replication from 'pouchdb-replication'
import mapreduce from 'pouchdb-mapreduce'
import find from 'pouchdb-find'
import level from 'pouchdb-adapter-level'
PouchDB.plugin(level).plugin(replication).plugin(mapreduce).plugin(find)
const db = new PouchDB('app' + (self.document === undefined ? '-worker' : ''), { adapter: 'level' })
self.PouchDB = PouchDB
self.run = async (method, ...args) => {
  try {
    return { result: await db[method](...args) }
  } catch (error) {
    return { error: { status: error.status, name: error.name, message: error.message, cause: String(error.cause) } }
  }
}
self.onmessage = async ({ data, source }) => self.document === undefined && (source ?? self).postMessage(await self.run(...data))
`

const root = path.join(__dirname, '../../..')

describe('An application with pouchdb-adapter-level in its bundle', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'pouchdb-adapter-level-application-'))
  const made = path.join(folder, 'made')
  const server = http.createServer((request, response) => {
    const file = /^\/([\w-]+\.js)$/.exec(request.url)?.[1]
    response.setHeader('Content-Type', file ? 'text/javascript' : 'text/html')
    response.end(file ? readFileSync(path.join(made, file)) : `<!doctype html><script type="module" src="/${request.url === '/eager' ? 'eager' : 'lazy'}.js"></script>`)
  })
  let browser, page, asked

  before(async () => {
    const parts = path.join(folder, 'parts')
    await bundle(parts)
    writeFileSync(path.join(folder, 'lazy.mjs'), APPLICATION)
    writeFileSync(path.join(folder, 'eager.mjs'), `import 'pouchdb-adapter-level/indexes'\n${APPLICATION}`)
    const own = { bundle: true, minify: true, platform: 'browser', format: 'esm', splitting: true, nodePaths: [path.join(root, 'node_modules')] }
    const alias = { 'pouchdb-adapter-level': path.join(parts, 'page.js'), 'pouchdb-adapter-level/indexes': path.join(parts, 'indexes.js'), events: require.resolve('events/') }
    for (const name of ['lazy', 'eager']) {
      await build({ ...own, alias, entryPoints: [path.join(folder, `${name}.mjs`)], outdir: made, chunkNames: `${name}-[name]-[hash]` })
    }
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    browser = await launchChromium()
  })
  beforeEach(async () => {
    const context = await browser.newContext()
    page = await context.newPage()
    asked = []
    page.on('request', request => asked.push(new URL(request.url()).pathname))
  })
  afterEach(() => page.context().close())
  after(async () => {
    await browser?.close()
    server.closeAllConnections()
    server.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const url = () => `http://127.0.0.1:${server.address().port}/`
  const run = (...args) => page.evaluate(args => window.run(...args), args)
  const indexes = () => asked.filter(name => name.startsWith('/lazy-indexes'))

  async function open () {
    await page.goto(url())
    await page.waitForFunction(() => window.run !== undefined)
  }

  it('writes, reads, follows and replicates without the file of the indexes', async () => {
    await open()
    await run('bulkDocs', [{ _id: 'a', n: 1 }, { _id: 'b', n: 2, _attachments: { text: { content_type: 'text/plain', data: 'aGk=' } } }])
    const { result } = await page.evaluate(async () => {
      const other = new window.PouchDB('other', { adapter: 'level' })
      await other.replicate.from(new window.PouchDB('app', { adapter: 'level' }))
      const rev = (await other.get('a'))._rev
      await other.put({ _id: 'a', _rev: rev, n: 3 })
      await other.replicate.to(new window.PouchDB('app', { adapter: 'level' }))
      return { result: [await other.info(), await (await other.getAttachment('b', 'text')).text()] }
    })
    assert.deepEqual([result[0].doc_count, result[1]], [2, 'hi'])
    assert.equal((await run('get', 'a')).result.n, 3)
    assert.equal((await run('allDocs', { include_docs: true })).result.rows.length, 2)
    assert.equal((await run('changes', { include_docs: true })).result.results.length, 2)
    await run('compact')
    await run('remove', (await run('get', 'a')).result)
    assert.equal((await run('get', 'a')).error.status, 404)
    assert.deepEqual(indexes(), [])
  })

  it('loads it once a view or a find is asked for', async () => {
    await open()
    await run('bulkDocs', [{ _id: 'a', n: 1 }, { _id: 'b', n: 2 }, { _id: '_design/d', views: { n: { map: 'function (doc) { emit(doc.n) }', reduce: '_sum' } } }])
    const { result } = await run('query', 'd/n', { reduce: false })
    assert.deepEqual(result.rows.map(({ id, key }) => [id, key]), [['a', 1], ['b', 2]])
    assert.equal(indexes().length, 1)
    await run('createIndex', { index: { fields: ['n'] } })
    assert.deepEqual((await run('find', { selector: { n: { $gt: 1 } } })).result.docs.map(({ _id }) => _id), ['b'])
    assert.equal(indexes().length, 1)
  })

  it('loads it for earlier versions of documents', async () => {
    await open()
    await run('keepHistory', { versions: 10 })
    const first = (await run('put', { _id: 'a', n: 1 })).result.rev
    assert.deepEqual(indexes(), [])
    const [{ time }] = (await run('history', 'a')).result.history
    assert.equal(indexes().length, 1)
    await page.waitForFunction(time => new Date() > new Date(time), time)
    const moment = await page.evaluate(() => new Date().toISOString())
    await page.waitForFunction(moment => new Date() > new Date(moment), moment)
    await run('put', { _id: 'a', _rev: first, n: 2 })
    assert.deepEqual((await run('history', 'a')).result.history.map(({ rev }) => rev[0]), ['2', '1'])
    assert.equal((await run('get', 'a', { at: moment })).result.n, 1)
    assert.deepEqual((await run('allDocs', { at: moment, include_docs: true })).result.rows.map(({ doc }) => doc.n), [1])
    await run('restore', { at: moment, docs: ['a'] })
    assert.equal((await run('get', 'a')).result.n, 1)
  })

  it('says that it cannot be loaded, and tries again with the next call', async () => {
    await open()
    await run('bulkDocs', [{ _id: 'a', n: 1 }])
    await page.route('**/lazy-indexes*', route => route.abort())
    const { error } = await run('find', { selector: { n: 1 } })
    assert.deepEqual([error.status, error.name], [503, 'service_unavailable'])
    assert.match(error.message, /indexes of pouchdb-adapter-level was not loaded/)
    assert.equal((await run('get', 'a')).result.n, 1)
    await page.unroute('**/lazy-indexes*')
    assert.deepEqual((await run('find', { selector: { n: 1 } })).result.docs.map(({ _id }) => _id), ['a'])
  })

  it('loads it in a worker', async () => {
    await page.goto(url())
    const answers = await page.evaluate(async () => {
      const worker = new window.Worker('/lazy.js', { type: 'module' })
      const ask = data => new Promise((resolve, reject) => {
        worker.onmessage = event => resolve(event.data)
        worker.onerror = event => reject(new Error(event.message))
        worker.postMessage(data)
      })
      await ask(['put', { _id: 'a', n: 1 }])
      return [await ask(['get', 'a']), await ask(['find', { selector: { n: 1 } }])]
    })
    assert.deepEqual([answers[0].result.n, answers[1].result.docs.length], [1, 1])
  })

  it('imports it into a service worker, which may load nothing later', async () => {
    await page.goto(url())
    const ask = name => page.evaluate(async name => {
      const { serviceWorker } = window.navigator
      const registration = await serviceWorker.register(`/${name}.js`, { type: 'module', scope: `/${name}` })
      const worker = registration.installing
      await new Promise(resolve => { worker.onstatechange = () => worker.state === 'activated' && resolve() })
      const run = message => new Promise(resolve => {
        serviceWorker.onmessage = event => resolve(event.data)
        worker.postMessage(message)
      })
      return [await run(['put', { _id: name, n: 1 }]), await run(['find', { selector: { _id: name } }])]
    }, name)
    const lazy = await ask('lazy')
    assert.deepEqual([lazy[0].result.ok, lazy[1].error.status], [true, 503])
    const eager = await ask('eager')
    assert.deepEqual(eager[1].result.docs.map(({ _id }) => _id), ['eager'])
  })

  it('needs the network no more once it is open if it imports all', async () => {
    await page.goto(`${url()}eager`)
    await page.waitForFunction(() => window.run !== undefined)
    await page.context().setOffline(true)
    await run('put', { _id: 'a', n: 1 })
    assert.deepEqual((await run('find', { selector: { n: 1 } })).result.docs.map(({ _id }) => _id), ['a'])
  })
})
