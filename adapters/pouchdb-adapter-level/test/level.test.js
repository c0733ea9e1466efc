'use strict'

/* global IDBKeyRange, indexedDB */

const assert = require('node:assert/strict')
const { spawn } = require('node:child_process')
const { once } = require('node:events')
const { mkdtempSync, rmSync } = require('node:fs')
const { tmpdir } = require('node:os')
const path = require('node:path')
const { createInterface } = require('node:readline')
const { setTimeout } = require('node:timers/promises')
const { chromium } = require('playwright-core')

const { FLAGS, chromiumPath, launchChromium, servePage } = require('../../../test/support/chromium')
const { bundle, bundleScript } = require('../scripts/bundle')
const randomProgram = require('./page/random-program')

describe('What pouchdb-adapter-level stores in IndexedDB', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'pouchdb-adapter-level-stored-'))
  const distribution = path.dirname(require.resolve('pouchdb/dist/pouchdb.js'))
  const pageLevel = path.join(folder, 'page-level.js')
  const scripts = [path.join(distribution, 'pouchdb.js'), path.join(distribution, 'pouchdb.find.js'), path.join(folder, 'pouchdb.level.min.js'), pageLevel]
  let browser, context, site

  before(async () => {
    await bundle(folder)
    await bundleScript(path.join(__dirname, 'page/level.mjs'), pageLevel)
    site = await servePage(scripts)
    browser = await launchChromium()
  })
  beforeEach(async () => { context = await browser.newContext() })
  afterEach(() => context.close())
  after(async () => {
    await browser?.close()
    site.close()
    rmSync(folder, { recursive: true, force: true })
  })

  async function openPage (in_ = context) {
    const page = await in_.newPage()
    await page.goto(site.address)
    return page
  }

  for (const seed of [1, 2]) {
    it(`is what was written, and what a snapshot began with (program ${seed})`, async () => {
      const { problems, blocks, reads } = await (await openPage()).evaluate(randomProgram, seed)
      assert.deepEqual(problems, [])
      assert.ok(blocks > 20, `${blocks} blocks`)
      assert.ok(reads > 250, `${reads} reads`)
    })
  }

  it('has no block twice, and a short log, after many writes', async () => {
    const { keys, log, replaced } = await (await openPage()).evaluate(async () => {
      const level = new window.PageLevel('many')
      await level.open()
      for (let n = 0; n < 100; n++) await level.batch(Array.from({ length: 100 }, (_, i) => ({ type: 'put', key: `key-${(i * 7919 + n) % 5000}`, value: 'x'.repeat(1000) })))
      await level.close()
      const database = await new Promise(resolve => { indexedDB.open('many').onsuccess = event => resolve(event.target.result) })
      const transaction = database.transaction(['blocks', 'log'])
      const all = request => new Promise(resolve => { request.onsuccess = () => resolve(request.result) })
      const [keys, log, replaced] = await Promise.all([
        all(transaction.objectStore('blocks').getAllKeys(IDBKeyRange.lowerBound([]))), all(transaction.objectStore('log').getAll()), all(transaction.objectStore('blocks').get('replaced'))
      ])
      return { keys: keys.map(([key]) => new TextDecoder().decode(key)), log: log.reduce((sum, record) => sum + record.length, 0), replaced }
    })
    assert.equal(new Set(keys).size, keys.length)
    assert.ok(keys.length > 100, `${keys.length} blocks`)
    assert.ok(log < 4 * 1024 * 1024, `${log} bytes of log`)
    assert.deepEqual(replaced, [])
  })

  it('is made of what the layout before had', async () => {
    const page = await openPage()
    const found = await page.evaluate(async () => {
      const docs = Array.from({ length: 1200 }, (_, i) => ({ _id: `doc-${1000 + i}`, n: i, text: 'words '.repeat(20) }))
      const first = new window.PouchDB('first', { adapter: 'level' })
      await first.bulkDocs(docs)
      await first.put({ _id: 'é', _attachments: { a: { content_type: 'text/plain', data: btoa('abc'.repeat(100_000)) } } })
      await first.close()
      const level = new window.PageLevel('potoroo-first')
      await level.open()
      const keys = await level.keys({}).all()
      const values = await level.getMany(keys, { valueEncoding: 'buffer' })
      const entries = keys.map((key, i) => [new TextEncoder().encode(key), new Uint8Array(values[i])])
      await level.close()
      await new Promise((resolve, reject) => {
        const request = indexedDB.open('potoroo-second', 1)
        request.onupgradeneeded = () => request.result.createObjectStore('potoroo-second')
        request.onsuccess = () => {
          const transaction = request.result.transaction('potoroo-second', 'readwrite')
          for (const [key, value] of entries) transaction.objectStore('potoroo-second').put(value, key)
          transaction.oncomplete = () => {
            request.result.close()
            resolve()
          }
          transaction.onabort = reject
        }
      })
      const second = new window.PouchDB('second', { adapter: 'level' })
      const rows = async db => (await db.allDocs({ include_docs: true })).rows
      const same = JSON.stringify(await rows(second)) === JSON.stringify(await rows(new window.PouchDB('first', { adapter: 'level' })))
      await second.put({ _id: 'later' })
      await second.close()
      const again = new window.PouchDB('second', { adapter: 'level' })
      return { same, count: (await again.info()).doc_count, attachment: await (await again.getAttachment('é', 'a')).text(), later: (await again.get('later'))._id }
    })
    assert.deepEqual(found, { same: true, count: 1202, attachment: 'abc'.repeat(100_000), later: 'later' })
  })

  it('is not opened where a later version has written it', async () => {
    const message = await (await openPage()).evaluate(async () => {
      await new Promise(resolve => {
        indexedDB.open('potoroo-later', 99).onsuccess = event => resolve(event.target.result.close())
      })
      return new window.PouchDB('later', { adapter: 'level' }).info().then(() => 'opened', error => `${error.message} ${error.reason}`)
    })
    assert.match(message, /later version/)
  })

  it('stays whole where the disk is full, and takes writes again where it is not', async () => {
    const page = await openPage()
    const session = await context.newCDPSession(page)
    const limit = bytes => session.send('Storage.overrideQuotaForOrigin', { origin: site.address, ...(bytes !== undefined && { quotaSize: bytes }) })
    await page.evaluate(() => {
      window.db = new window.PouchDB('full', { adapter: 'level' })
      window.write = n => window.db.bulkDocs(Array.from({ length: 5 }, (_, i) => ({ _id: `${n}-${i}`, text: 'words '.repeat(100) })))
        .then(results => results.every(({ ok }) => ok) ? 'written' : results[0].message, error => error.message)
      return window.db.info()
    })
    // Chromium asks for the quota now and then.
    const told = []
    for (const [bytes, awaited] of [[undefined, true], [1, false], [undefined, true]]) {
      await limit(bytes)
      do {
        await setTimeout(100)
        told.push(await page.evaluate(n => window.write(n), told.length) === 'written')
      } while (told.at(-1) !== awaited)
    }
    const counts = async () => {
      const counts = {}
      for (const { id } of (await window.db.allDocs()).rows) counts[id.split('-')[0]] = (counts[id.split('-')[0]] ?? 0) + 1
      return counts
    }
    const expected = Object.fromEntries(told.flatMap((isWritten, n) => isWritten ? [[n, 5]] : []))
    assert.deepEqual(await page.evaluate(counts), expected)
    const again = await page.evaluate(async () => {
      await window.db.close()
      window.db = new window.PouchDB('full', { adapter: 'level' })
    }).then(() => page.evaluate(counts))
    assert.deepEqual(again, expected)
  })

  it('has every acknowledged write, and batches whole, after the browser was killed', async () => {
    const profile = path.join(folder, 'profile')
    let acknowledged = 0
    for (const more of [3, 12, 25, 9]) {
      const { context, kill } = await startBrowser(profile)
      const page = await openPage(context)
      const enough = new Promise(resolve => page.exposeFunction('acknowledge', n => {
        if (n === undefined) return
        if (n + 1 >= acknowledged + more) resolve(n + 1)
      }).then(() => page.evaluate(() => {
        window.db = new window.PouchDB('killed', { adapter: 'level' })
        return window.db.allDocs()
      })).then(({ rows }) => {
        const batches = new Map()
        for (const { id } of rows) batches.set(Number(id.split('-')[0]), (batches.get(Number(id.split('-')[0])) ?? 0) + 1)
        for (let n = 0; n < acknowledged; n++) assert.ok(batches.has(n), `batch ${n} of ${acknowledged}`)
        for (const [n, count] of batches) assert.equal(count, 150, `batch ${n}`)
        return page.evaluate(async n => {
          for (;; n++) {
            await window.db.bulkDocs(Array.from({ length: 150 }, (_, i) => ({ _id: `${n}-${i}`, text: `${i} words `.repeat(200) })))
            window.acknowledge(n)
          }
        }, batches.size)
      }).catch(error => resolve(error)))
      const reached = await enough
      await kill()
      if (reached instanceof Error) throw reached
      acknowledged = reached
    }
    assert.ok(acknowledged >= 49)
  })

  /** A browser that keeps what its pages store. */
  async function startBrowser (profile) {
    const child = spawn(chromiumPath(), [...FLAGS, '--headless=new', '--remote-debugging-port=0', '--no-first-run', `--user-data-dir=${profile}`, 'about:blank'], { stdio: ['ignore', 'ignore', 'pipe'] })
    const exited = once(child, 'exit')
    let url
    for await (const line of createInterface(child.stderr)) {
      url = line.match(/DevTools listening on (ws:\S+)/)?.[1]
      if (url !== undefined) break
    }
    child.stderr.resume()
    const connected = await chromium.connectOverCDP(url)
    return {
      context: connected.contexts()[0],
      kill: async () => {
        child.kill('SIGKILL')
        await exited
        await connected.close()
      }
    }
  }
})
