'use strict'

const assert = require('node:assert/strict')
const { TestDatabase } = require('./support/database')
const { related } = require('./support/multipart')
const { RawConnection } = require('./support/raw')
const { get } = require('./support/request')

describe('Clients that hang up', () => {
  const db = new TestDatabase()

  describe('changes nothing:', () => {
    const json = { 'Content-Type': 'application/json' }
    const follows = length => ({ follows: true, content_type: 'text/plain', length })
    let before

    beforeEach(async () => {
      await db.write('existing')
      before = await db.contents()
    })

    afterEach(async () => {
      assert.equal((await get('/')).status, 200)
      assert.deepEqual(await db.contents(), before)
    })

    const multipart = related('bb', { _attachments: { a: follows(100000), b: follows(5) } }, { a: 'a'.repeat(100000), b: 'bbbbb' })

    /** Parts of bodies that were announced longer. */
    const halves = [
      ['a document', 'PUT', 'd', json, '{"text":"', 1000],
      ['a document without a body', 'PUT', 'd', json, '', 1000],
      ['a local document', 'PUT', '_local/d', json, '{"a":', 10],
      ['_bulk_docs', 'POST', '_bulk_docs', json, '{"docs":[{"_id":"d"},{"_id":"e"}', 1000],
      ['_bulk_docs that is whole JSON already', 'POST', '_bulk_docs', json, '{"docs":[{"_id":"d"}]}', 1000],
      ['an attachment', 'PUT', 'd/a.txt', { 'Content-Type': 'text/plain' }, 'x'.repeat(300000), 1000000],
      ['an attachment of a document that is there', 'PUT', 'existing/a.txt', { 'Content-Type': 'text/plain' }, 'x', 100],
      ['multipart in the document', 'PUT', 'd', { 'Content-Type': 'multipart/related; boundary=bb' }, multipart.subarray(0, 60), multipart.length],
      ['multipart in an attachment', 'PUT', 'd', { 'Content-Type': 'multipart/related; boundary=bb' }, multipart.subarray(0, 70000), multipart.length],
      ['multipart before its last boundary', 'PUT', 'd', { 'Content-Type': 'multipart/related; boundary=bb' }, multipart.subarray(0, -4), multipart.length]
    ]

    for (const [what, method, path, headers, sent, length] of halves) {
      it(`in the middle of ${what}`, async () => {
        const connection = await RawConnection.open()
        await connection.request(String(method), db.path(String(path)), { ...headers, 'Content-Length': Number(length) }, sent)
        await connection.reset()
      })

      it(`in the middle of a chunk of ${what}`, async () => {
        const connection = await RawConnection.open()
        const chunk = sent.length === 0 ? '' : Buffer.concat([Buffer.from(`${sent.length.toString(16)}\r\n`), Buffer.from(/** @type {any} */ (sent)), Buffer.from('\r\n')])
        await connection.request(String(method), db.path(String(path)), { ...headers, 'Transfer-Encoding': 'chunked' }, chunk)
        await connection.send('ff\r\nx')
        await connection.reset()
      })
    }

    it('while a long answer is on its way', async () => {
      const docs = Array.from({ length: 3000 }, (_, n) => ({ _id: `d${n}`, text: 'x'.repeat(1000) }))
      await db.post('_bulk_docs', { docs })
      await db.put('_design/d', { views: { v: { map: 'function (doc) { emit(doc._id, doc.text) }' } } })
      before = await db.contents()
      for (const path of ['_all_docs?include_docs=true', '_changes?include_docs=true', '_design/d/_view/v?include_docs=true']) {
        const connection = await RawConnection.open()
        await connection.request('GET', db.path(path), {})
        await connection.received('200 OK')
        connection.pause()
        await connection.reset()
      }
    })

    it('while an attachment is on its way', async () => {
      await db.put('large/a', 'x'.repeat(5000000), { headers: { 'Content-Type': 'text/plain' } })
      before = await db.contents()
      const connection = await RawConnection.open()
      await connection.request('GET', db.path('large/a'), {})
      await connection.received('200 OK')
      connection.pause()
      await connection.reset()
    })

    for (const feed of ['longpoll', 'continuous', 'eventsource']) {
      it(`from a ${feed} feed`, async () => {
        const connections = await Promise.all(Array.from({ length: 20 }, () => RawConnection.open()))
        await Promise.all(connections.map(async connection => {
          await connection.request('GET', db.path(`_changes?feed=${feed}&since=now&heartbeat=10`), {})
          await connection.received('200 OK')
        }))
        await Promise.all(connections.map(connection => connection.reset()))
      })
    }

    it('get an answer before their body is whole, when it is wrong from the start', async () => {
      const connection = await RawConnection.open()
      await connection.request('PUT', db.path('d/_a'), { 'Content-Type': 'text/plain', 'Content-Length': 1000000 }, 'x'.repeat(1000))
      assert.match(await connection.received('prohibited'), /^HTTP\/1.1 400 /)
      await connection.reset()
    })

    it('and those that stay keep their connection after an error', async () => {
      const connection = await RawConnection.open()
      const body = 'x'.repeat(300000)
      await connection.request('PUT', db.path('existing/a'), { 'Content-Type': 'text/plain', 'Content-Length': body.length }, body)
      await connection.received('conflict')
      const half = multipart.subarray(0, 90000)
      await connection.request('PUT', db.path('d'), { 'Content-Type': 'multipart/related; boundary=bb', 'Content-Length': half.length }, half)
      await connection.received('last boundary')
      await connection.request('GET', db.path('existing'), {})
      await connection.received('"_id":"existing"')
      await connection.reset()
    })

    it('and bytes that are no HTTP get 400', async () => {
      const connection = await RawConnection.open()
      await connection.send('NONSENSE\r\n\r\n')
      assert.match(await connection.closed(), /^HTTP\/1.1 400 /)
    })
  })

  describe('or only say that they send nothing more', () => {
    const ask = async path => {
      const connection = await RawConnection.open()
      await connection.request('GET', path, {})
      connection.end()
      return connection
    }

    it('get their answer, however it is made', async () => {
      const docs = Array.from({ length: 100 }, (_, n) => ({ _id: `d${n}`, n }))
      await db.post('_bulk_docs', { docs })
      await db.put('_design/d', { views: { v: { map: 'function (doc) { emit(doc.n) }' } } })
      for (const path of ['/_up', '/_all_dbs', db.path(), db.path('d1'), db.path('none'), db.path('_design/d/_view/v'), db.path('_changes?feed=longpoll&timeout=300&since=now'), '/_active_tasks']) {
        const text = await (await ask(path)).closed()
        assert.match(text, /^HTTP\/1.1 (200|404) [^]*\r\n\r\n/, path)
      }
    })

    it('get all of a long answer, though they read it slowly', async () => {
      await db.put('large/a', 'x'.repeat(20_000_000), { headers: { 'Content-Type': 'application/octet-stream' } })
      const connection = await ask(db.path('large/a'))
      await connection.received('200 OK')
      connection.pause()
      await get('/_up')
      connection.resume()
      assert.equal((await connection.closed()).split('\r\n\r\n')[1].length, 20_000_000)
    })

    it('get their document written', async () => {
      const connection = await RawConnection.open()
      await connection.request('PUT', db.path('sent'), { 'Content-Type': 'application/json', 'Content-Length': 2 }, '{}')
      connection.end()
      assert.match(await connection.closed(), /^HTTP\/1.1 201 /)
      assert.equal((await db.get('sent')).status, 200)
    })

    for (const feed of ['continuous', 'eventsource']) {
      it(`do not keep a ${feed} feed that has nothing to say`, async () => {
        const connection = await ask(db.path(`_changes?feed=${feed}&since=now&timeout=60000`))
        await connection.closed()
      })
    }
  })
})
