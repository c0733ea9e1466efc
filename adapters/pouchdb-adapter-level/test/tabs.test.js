'use strict'

const assert = require('node:assert/strict')
const { mkdtempSync, rmSync } = require('node:fs')
const { tmpdir } = require('node:os')
const path = require('node:path')

const { launchChromium, servePage } = require('../../../test/support/chromium')
const { bundle } = require('../scripts/bundle')

describe('pouchdb-adapter-level in several tabs', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'pouchdb-adapter-level-tabs-'))
  const distribution = path.dirname(require.resolve('pouchdb/dist/pouchdb.js'))
  const scripts = [path.join(distribution, 'pouchdb.js'), path.join(distribution, 'pouchdb.find.js'), path.join(folder, 'pouchdb.level.min.js')]
  let browser, context, site

  before(async () => {
    await bundle(folder)
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

  /** A page in which `db` is the database that all share; the first one leads. */
  async function openTab () {
    const tab = await context.newPage()
    await tab.goto(site.address)
    await tab.evaluate(async () => {
      window.db = new window.PouchDB('shared', { adapter: 'level' })
      window.heard = []
      await window.db.info()
    })
    return tab
  }

  it('show each other\'s writes, queries and attachments', async () => {
    const [first, second] = [await openTab(), await openTab()]
    await second.evaluate(() => window.db.bulkDocs([{ _id: 'a', n: 1 }, { _id: 'b', n: 2 }]))
    await first.evaluate(() => window.db.put({ _id: 'c', n: 3 }))
    const seen = async () => {
      const { db, PouchDB } = window
      await db.createIndex({ index: { fields: ['n'] } })
      const [{ _id: id, _rev: rev }] = (await db.find({ selector: { n: 3 } })).docs
      const { rows } = await db.query(doc => { if (doc.n) emit(doc._id, doc.n) }, { reduce: '_sum' }) // eslint-disable-line no-undef
      const { rows: all } = await db.allDocs({ startkey: 'a', endkey: 'c' })
      return [PouchDB.version, id, rev, rows, all.map(({ id, value }) => [id, value.rev])]
    }
    assert.deepEqual(await second.evaluate(seen), await first.evaluate(seen))
    await second.evaluate(async () => window.db.putAttachment('t', 'text', new Blob(['abc']), 'text/plain'))
    for (const tab of [first, second]) {
      assert.deepEqual(await tab.evaluate(async () => {
        const blob = await window.db.getAttachment('t', 'text')
        return [await blob.text(), blob.type, (await window.db.get('t', { attachments: true }))._attachments.text.data]
      }), ['abc', 'text/plain', 'YWJj'])
    }
  })

  it('sum numbers and arrays of numbers, as in Node.js', async () => {
    const values = { numbers: [1, 2], arrays: [1, [2, 3]], texts: [1, 'a'], nulls: [null] }
    const docs = Object.entries(values).map(([_id, values]) => ({ _id, values }))
    const read = async docs => {
      await window.db.bulkDocs(docs)
      // eslint-disable-next-line no-undef
      return (await window.db.query({ map: doc => { for (const value of doc.values) emit(doc._id, value) }, reduce: (keys, values) => sum(values) }, { group: true })).rows
    }
    assert.deepEqual(await (await openTab()).evaluate(read, docs), [
      { key: 'arrays', value: [3, 3] }, { key: 'nulls', value: null }, { key: 'numbers', value: 3 }, { key: 'texts', value: null }
    ])
  })

  it('give PouchDB\'s errors', async () => {
    const [first, second] = [await openTab(), await openTab()]
    await first.evaluate(() => window.db.put({ _id: 'a' }))
    const errors = () => Promise.all([window.db.put({ _id: 'a' }), window.db.get('none'), window.db.query('none/none'), window.db.put({ _id: 'a', _x: 1 })]
      .map(promise => promise.catch(({ status, name, message, reason }) => ({ status, name, message, reason }))))
    const given = await second.evaluate(errors)
    assert.deepEqual(given.map(({ status }) => status), [409, 404, 404, 500])
    assert.deepEqual(given, await first.evaluate(errors))
  })

  it('hear each other\'s changes, with filters of their own', async () => {
    const [first, second] = [await openTab(), await openTab()]
    for (const tab of [first, second]) {
      await tab.evaluate(() => new Promise(resolve => {
        const feed = window.db.changes({ live: true, filter: doc => doc.n !== 2 })
        feed.on('change', ({ id }) => { window.heard.push(id) }).on('paused', resolve)
        window.db.put({ _id: 'own' }).catch(() => {})
        feed.on('change', resolve)
      }))
    }
    await first.evaluate(() => window.db.put({ _id: 'one', n: 1 }))
    await second.evaluate(() => window.db.bulkDocs([{ _id: 'two', n: 2 }, { _id: 'three', n: 3 }]))
    for (const tab of [first, second]) {
      await tab.waitForFunction(() => window.heard.includes('three'))
      assert.deepEqual(await tab.evaluate(() => window.heard), ['own', 'one', 'three'])
    }
  })

  it('lose no write and no change when the tab that leads is closed', async () => {
    const [first, second, third] = [await openTab(), await openTab(), await openTab()]
    await third.evaluate(() => {
      window.db.changes({ live: true }).on('change', ({ id }) => { window.heard.push(id) })
    })
    const writing = second.evaluate(async () => {
      window.written = []
      for (let rev, n = 0; !window.isEnough; n++) {
        window.written.push((await window.db.put({ _id: `doc-${n}` })).id)
        rev = (await window.db.put({ _id: 'counter', _rev: rev ?? (await window.db.get('counter').catch(() => ({})))._rev, n })).rev
      }
      return window.written
    })
    const reaches = count => second.waitForFunction(count => window.written?.length > count, count)
    await reaches(20)
    await first.close()
    const reached = await second.evaluate(() => window.written.length)
    await reaches(reached + 20)
    await second.evaluate(() => { window.isEnough = true })
    const written = await writing
    const { ids, n } = await third.evaluate(async () => ({ ids: (await window.db.allDocs()).rows.map(({ id }) => id), n: (await window.db.get('counter')).n }))
    assert.deepEqual(ids.filter(id => id !== 'counter').toSorted(), written.toSorted())
    assert.equal(n, written.length - 1)
    await third.waitForFunction(count => new Set(window.heard).size > count, written.length)
    assert.deepEqual(await third.evaluate(() => window.heard.filter(id => id !== 'counter')), written)
  })

  it('lead again where the first tab has closed its database', async () => {
    const [first, second] = [await openTab(), await openTab()]
    await first.evaluate(() => window.db.put({ _id: 'a' }))
    await first.close()
    assert.equal(await second.evaluate(async () => (await window.db.get('a'))._id), 'a')
    await second.evaluate(() => window.db.close())
    const third = await openTab()
    assert.equal(await third.evaluate(async () => (await window.db.get('a'))._id), 'a')
  })

  it('hear that another has destroyed the database, and make it anew', async () => {
    const [first, second] = [await openTab(), await openTab()]
    await first.evaluate(() => window.db.put({ _id: 'a' }))
    await first.evaluate(() => { window.db.on('destroyed', () => { window.heard.push('destroyed') }) })
    await second.evaluate(() => window.db.destroy())
    await first.waitForFunction(() => window.heard.includes('destroyed'))
    for (const tab of [first, second]) {
      assert.equal(await tab.evaluate(async () => (await new window.PouchDB('shared', { adapter: 'level' }).info()).doc_count), 0)
    }
  })

  it('go on reading the state that they began with while others write', async () => {
    const [first, second] = [await openTab(), await openTab()]
    await first.evaluate(() => window.db.bulkDocs(Array.from({ length: 1500 }, (_, i) => ({ _id: `doc-${10000 + i}`, n: 0 }))))
    const sums = await first.evaluate(async () => {
      const found = []
      let revs = (await window.db.allDocs()).rows.map(({ id, value }) => ({ _id: id, _rev: value.rev }))
      for (let n = 1; n <= 3; n++) {
        const [{ rows }, results] = await Promise.all([
          window.db.allDocs({ include_docs: true }),
          window.db.bulkDocs(revs.map(doc => ({ ...doc, n })))
        ])
        revs = results.map(({ id, rev }) => ({ _id: id, _rev: rev }))
        found.push([rows.length, new Set(rows.map(({ doc }) => doc.n)).size])
      }
      return found
    })
    assert.deepEqual(sums, Array.from({ length: 3 }, () => [1500, 1]))
    assert.equal(await second.evaluate(async () => (await window.db.get('doc-10000')).n), 3)
  })
})
