'use strict'

const assert = require('node:assert/strict')
const { applyPatch } = require('fast-json-patch')
const { TestDatabase } = require('./support/database')
const { RawConnection } = require('./support/raw')
const { assertRefused } = require('./support/refusal')
const { TestUsers } = require('./support/users')

const sharded = Number(process.env.TEST_SHARDS ?? 1) > 1

describe('history', () => {
  const db = new TestDatabase()
  const users = new TestUsers()

  /** The moment of a document's last change: a time of which no other change is. */
  async function momentOf (id) {
    const { time } = (await db.get(`${id}?meta=true`)).body._meta
    while (Date.now() <= Date.parse(time)) await new Promise(resolve => setImmediate(resolve))
    return time
  }

  async function edit (id, ...bodies) {
    const moments = []
    let _rev
    for (const body of bodies) {
      const answer = await db.put(id, { ...body, _rev })
      assert.equal(answer.status, body._deleted ? 200 : 201, answer.text)
      _rev = answer.body.rev
      moments.push(body._deleted ? new Date().toISOString() : await momentOf(id))
      while (Date.now() <= Date.parse(moments.at(-1))) await new Promise(resolve => setImmediate(resolve))
    }
    return moments
  }

  const keep = async (limits = { retain: '30d' }) => { assert.equal((await db.put('_history', limits)).status, 200) }

  async function compact () {
    assert.equal((await db.post('_compact', '', { headers: { 'Content-Type': 'application/json' } })).status, 202)
    while ((await db.get()).body.compact_running) await new Promise(resolve => setImmediate(resolve))
  }

  it('says what is kept', async () => {
    assert.deepEqual((await db.get('_history')).body, { retain: null, versions: null, since: null })
    await keep({ retain: '30d' })
    const { since, ...limits } = (await db.get('_history')).body
    assert.deepEqual(limits, { retain: '30d', versions: null })
    assert.ok(Date.parse(since) <= Date.now())
    await keep({ retain: '1y', versions: 5 })
    assert.deepEqual((await db.get('_history')).body, { retain: '1y', versions: 5, since })
    assert.deepEqual((await db.remove('_history')).body, { ok: true })
    assert.deepEqual((await db.get('_history')).body, { retain: null, versions: null, since: null })
    await keep()
    await keep({ retain: null })
    assert.equal((await db.get('_history')).body.since, null)
  })

  it('refuses what cannot be kept', async () => {
    for (const retain of ['30', 'd', '0d', '-1d', '1.5d', '30 d', 30, true, ['1d'], '1001y']) assertRefused(await db.put('_history', { retain }), 400, 'bad_request', /retain/)
    for (const versions of [0, -1, 1.5, '3', true]) assertRefused(await db.put('_history', { versions }), 400, 'bad_request', /versions/)
    assertRefused(await db.put('_history', { days: 3 }), 400, 'bad_request', /days/)
    assertRefused(await db.put('_history', [1]), 400, 'bad_request')
  })

  it('tells when and by whom a document was changed last, without a byte in its body', async () => {
    await db.put('_security', { members: { names: [], roles: [] } })
    const before = Date.now()
    const { name, as } = await users.add()
    await db.put('a', { x: 1 }, as)
    const { _meta: { time, user, seq }, ...doc } = (await db.get('a?meta=true')).body
    assert.equal(user, name)
    assert.ok(Date.parse(time) >= before && Date.parse(time) <= Date.now())
    assert.equal(seq, 1)
    assert.deepEqual((await db.get('a')).body, { _id: doc._id, _rev: doc._rev, x: 1 })
    const [row] = (await db.get('_all_docs?meta=true&include_docs=true')).body.rows
    assert.deepEqual([row.value._meta, row.doc._meta], [{ time, user, seq }, { time, user, seq }])
    assert.deepEqual((await db.post('_all_docs?meta=true', { keys: ['a'] })).body.rows[0].value._meta, { time, user, seq })
    assert.equal((await db.get('_changes?include_docs=true')).body.results[0].doc._meta, undefined)
    assert.equal((await db.put('a', { ...doc, _meta: { time, user, seq } })).status, 201)
    assert.notEqual((await db.get('a?meta=true')).body._meta.user, name)
  })

  it('reads a document as it was', async () => {
    await keep()
    // The history begins before the document.
    const kept = Date.now()
    while (Date.now() < kept + 2) await new Promise(resolve => setImmediate(resolve))
    const [one, two, three] = await edit('a', { n: 1 }, { n: 2 }, { n: 3 })
    for (const [at, n] of [[one, 1], [two, 2], [three, 3], [Date.parse(one), 1], [one.replace('Z', '%2B00:00'), 1], [one.replace('Z', '+00:00'), 1]]) {
      assert.equal((await db.get(`a?at=${at}`)).body.n, n)
    }
    assert.equal((await db.get(`a?at=${two}&meta=true`)).body._meta.time, two)
    assertRefused(await db.get(`a?at=${new Date(Date.parse(one) - 1).toISOString()}`), 404, 'not_found')
  })

  if (!sharded) {
    it('reads a document as it was at an update sequence', async () => {
      await keep()
      await edit('a', { n: 1 }, { n: 2 }, { _deleted: true })
      const { body: { last_seq: last } } = await db.get('_changes')
      assert.equal((await db.get('a?at=1')).body.n, 1)
      assert.equal((await db.get(`a?at=${last.replace(/^\d+/, '2')}`)).body.n, 2)
      assertRefused(await db.get(`a?at=${last}`), 404, 'not_found', 'deleted')
      assertRefused(await db.get('a?at=0'), 404, 'not_found', 'missing')
      assertRefused(await db.get('a?at=4'), 400, 'bad_request', /future/)
      assertRefused(await db.get('a?at=1-000000000000'), 400, 'bad_request', /another database/)
    })
  } else {
    it('takes no update sequence', async () => {
      await keep()
      await edit('a', { n: 1 })
      for (const rest of ['a?at=1', '_all_docs?at=1']) assertRefused(await db.get(rest), 400, 'bad_request', /must be a time/)
      assertRefused(await db.post('_restore', { at: 1, docs: ['a'] }), 400, 'bad_request', /must be a time/)
    })
  }

  it('refuses moments that are none, to come, or not kept', async () => {
    await edit('a', { n: 1 })
    assertRefused(await db.get(`a?at=${new Date().toISOString()}`), 410, 'gone', /keeps no history/)
    await keep()
    for (const at of ['yesterday', '2026-01-01T10:00', '2026-13-01', '-1', '1.5', '', '{}']) assertRefused(await db.get(`a?at=${encodeURIComponent(at)}`), 400, 'bad_request', /`at` must be a time/)
    assertRefused(await db.get(`a?at=${Date.now() + 3_600_000}`), 400, 'bad_request', /future/)
    assertRefused(await db.get('b?at=2020-01-01'), 410, 'gone', /not in the history/)
    assertRefused(await db.get('_all_docs?at=2020-01-01'), 410, 'gone', /not in the history/)
    for (const other of ['rev=1-a', 'revs=true', 'conflicts=true', 'open_revs=all', 'local_seq=true']) assertRefused(await db.get(`a?at=${Date.now()}&${other}`), 400, 'bad_request', /does not go with/)
    for (const list of ['_design_docs', '_local_docs']) assertRefused(await db.get(`${list}?at=${Date.now()}`), 400, 'bad_request', /_all_docs/)
  })

  it('reads all documents as they were', async () => {
    await keep()
    const [one] = await edit('a', { n: 1 })
    const [two] = await edit('b', { n: 2 })
    const { body: { _rev: rev } } = await db.get('a')
    await db.remove(`a?rev=${rev}`)
    await edit('c', { n: 3 })
    const read = async rest => (await db.get(`_all_docs?${rest}`)).body
    assert.deepEqual((await read(`at=${one}`)).rows.map(({ id }) => id), ['a'])
    const { total_rows: total, offset, rows } = await read(`at=${two}&include_docs=true`)
    assert.deepEqual([total, offset], [null, null])
    assert.deepEqual(rows.map(({ doc }) => doc.n), [1, 2])
    assert.deepEqual((await read(`at=${two}&descending=true&limit=1`)).rows.map(({ id }) => id), ['b'])
    assert.deepEqual((await read(`at=${two}&start_key="b"`)).rows.map(({ id }) => id), ['b'])
    assert.deepEqual((await read(`at=${two}&skip=1`)).rows.map(({ id }) => id), ['b'])
    const { body: { rows: keyed } } = await db.post('_all_docs', { keys: ['c', 'b', 'a'], at: two })
    assert.deepEqual(keyed.map(({ id, error }) => id ?? error), ['not_found', 'b', 'a'])
  })

  it('answers views as they would have been, by the functions of now', async () => {
    await keep()
    const [one] = await edit('a', { kind: 'x', n: 1 })
    await edit('b', { kind: 'y', n: 2 })
    const { body: { _rev: rev } } = await db.get('a')
    assert.equal((await db.put('a', { kind: 'x', n: 10, _rev: rev })).status, 201)
    const then = await momentOf('a')
    await db.remove(`b?rev=${(await db.get('b')).body._rev}`)
    await db.put('_design/d', { views: { byKind: { map: 'function (doc) { emit(doc.kind, doc.n) }', reduce: '_sum' } } })
    const read = async (at, rest = '') => (await db.get(`_design/d/_view/byKind?at=${at}${rest}`)).body
    const rows = ({ rows }) => rows.map(({ key, value }) => [key, value])
    assert.deepEqual(rows(await read(one, '&reduce=false')), [['x', 1]])
    assert.deepEqual(rows(await read(then, '&reduce=false')), [['x', 10], ['y', 2]])
    assert.deepEqual(rows(await read(then, '&reduce=false&descending=true&limit=1')), [['y', 2]])
    assert.deepEqual(rows(await read(then, '&reduce=false&key="y"')), [['y', 2]])
    assert.deepEqual(rows(await read(then)), [[null, 12]])
    assert.deepEqual(rows(await read(then, '&group=true')), [['x', 10], ['y', 2]])
    assert.deepEqual((await read(one, '&reduce=false&include_docs=true')).rows[0].doc.n, 1)
    const { body: { rows: keyed } } = await db.post('_design/d/_view/byKind', { keys: ['y', 'x'], reduce: false, at: then })
    assert.deepEqual(keyed.map(({ id }) => id), ['b', 'a'])
    const { body: { results } } = await db.post('_design/d/_view/byKind/queries', { queries: [{ at: then }, { at: then, group: true }] })
    assert.deepEqual(results.map(({ rows }) => rows.length), [1, 2])
    if (!sharded) assertRefused(await db.post('_design/d/_view/byKind/queries', { queries: [{ at: then }, {}] }), 400, 'bad_request', /same/)
    assertRefused(await db.get('_design/d/_view/byKind?at=2020-01-01'), 410, 'gone')
    assertRefused(await db.get('_design/d/_view/none?at=' + then), 404, 'not_found')
    assert.deepEqual(rows((await db.get('_design/d/_view/byKind')).body), [[null, 10]])
  })

  it('finds documents as they were', async () => {
    await keep()
    const [one] = await edit('a', { kind: 'x', n: 3 })
    await edit('b', { kind: 'x', n: 1 })
    const [then] = await edit('c', { kind: 'y', n: 2 })
    for (const id of ['a', 'b']) await db.remove(`${id}?rev=${(await db.get(id)).body._rev}`)
    const find = async asked => (await db.post('_find', asked)).body
    const ids = ({ docs }) => docs.map(({ _id }) => _id)
    assert.deepEqual(ids(await find({ selector: { kind: 'x' }, at: one })), ['a'])
    assert.deepEqual(ids(await find({ selector: { kind: 'x' }, at: then })).sort(), ['a', 'b'])
    assert.deepEqual(ids(await find({ selector: { n: { $gt: 0 } }, sort: ['n'], at: then })), ['b', 'c', 'a'])
    assert.deepEqual(ids(await find({ selector: { n: { $gt: 0 } }, sort: [{ n: 'desc' }], limit: 2, at: then })), ['a', 'c'])
    assert.deepEqual((await find({ selector: { _id: 'a' }, fields: ['n'], at: then })).docs, [{ n: 3 }])
    assert.deepEqual(ids(await find({ selector: { kind: 'x' } })), [])
    assertRefused(await db.post('_find', { selector: {}, at: '2020-01-01' }), 410, 'gone')
    assertRefused(await db.post('_find', { selector: {}, at: 'then' }), 400, 'bad_request', /`at`/)
    assertRefused(await db.post('_find', { selector: { n: { $no: 1 } }, at: then }), 400, 'invalid_operator')
    assert.equal((await db.get('_index')).body.total_rows, 1)
  })

  it('scans moments of so many documents, and refuses others', async () => {
    await keep()
    const docs = Array.from({ length: 10_001 }, (_, i) => ({ _id: `d${i}` }))
    assert.equal((await db.post('_bulk_docs', { docs })).status, 201)
    const at = Date.now()
    while (Date.now() <= at) await new Promise(resolve => setImmediate(resolve))
    await db.put('_design/d', { views: { all: { map: 'function (doc) { emit(doc._id) }' } } })
    if (!sharded) {
      assertRefused(await db.post('_find', { selector: {}, at }), 413, 'too_large', /10000 documents/)
      assertRefused(await db.get(`_design/d/_view/all?at=${at}`), 413, 'too_large', /10000 documents/)
    }
    assert.equal((await db.get(`_all_docs?at=${at}`)).body.rows.length, 10_001)
  })

  it('lists who changed what, and when', async () => {
    await keep()
    await db.put('_security', { members: { names: [], roles: [] } })
    const { name, as } = await users.add()
    const bodies = [{ n: 1, list: ['x'], big: 'B' }, { n: 2, list: ['x', 'y'], 'a/b~c': {} }, {}]
    let rev
    for (const body of bodies) rev = (await db.put('a', { ...body, _rev: rev }, as)).body.rev
    await db.remove(`a?rev=${rev}`)
    const { body: { id, history } } = await db.get('a/_history')
    assert.equal(id, 'a')
    assert.deepEqual(history.map(({ deleted, rev }) => [deleted, parseInt(rev, 10)]), [[true, 4], [false, 3], [false, 2], [false, 1]])
    assert.deepEqual(history.slice(1).map(({ user }) => user), [name, name, name])
    assert.ok(history.every(({ time, seq }, i) => i === 0 || (time <= history[i - 1].time && seq < history[i - 1].seq)))
    assert.equal(history[3].patch, undefined)
    let body = bodies[0]
    for (const [i, { patch }] of [...history].reverse().slice(1).entries()) {
      body = applyPatch(body, patch).newDocument
      assert.deepEqual(body, bodies[i + 1] ?? {})
    }
    assert.equal((await db.get('a/_history?limit=2')).body.history.length, 2)
    assertRefused(await db.get('never/_history'), 404, 'not_found')
    await db.remove('_history')
    assertRefused(await db.get('a/_history'), 410, 'gone', /keeps no history/)
  })

  it('keeps integers of any size in patches, and documents that are nested very deeply', async () => {
    await keep()
    const { body: { rev } } = await db.put('a', '{"n": 12345678901234567890}')
    const { body: { rev: next } } = await db.put(`a?rev=${rev}`, '{"n": 12345678901234567891}')
    const deep = `{"deep":${'['.repeat(8000)}${']'.repeat(8000)}}`
    const answer = await db.put(`a?rev=${next}`, deep)
    assert.equal(answer.status, 201, answer.text.slice(0, 300))
    const { text } = await db.get('a/_history')
    assert.ok(text.includes('[{"op":"replace","path":"/n","value":12345678901234567891}]'), text.slice(-500))
    assert.ok(text.includes(`[{"op":"replace","path":"","value":${deep}}]`))
  })

  it('keeps the attachments of what it keeps, and restores them', async () => {
    await keep()
    const { body: { rev } } = await db.put('a', { n: 1, _attachments: { f: { content_type: 'text/plain', data: Buffer.from('one').toString('base64') } } })
    const one = await momentOf('a')
    const { body: { rev: next } } = await db.put('a', { n: 2, _rev: rev, _attachments: { f: { content_type: 'text/plain', data: Buffer.from('two').toString('base64') } } })
    const two = await momentOf('a')
    await db.put('a', { n: 3, _rev: next })
    await compact()
    for (const [at, text] of [[one, 'one'], [two, 'two']]) {
      assert.equal((await db.get(`a/f?at=${at}`)).text, text)
      assert.equal(Buffer.from((await db.get(`a?at=${at}&attachments=true`)).body._attachments.f.data, 'base64').toString(), text)
    }
    assert.equal((await db.get(`a?rev=${rev}`)).status, 404)
    assert.equal((await db.post('_restore', { at: one, docs: ['a'] })).body[0].ok, true)
    assert.equal((await db.get('a')).body.n, 1)
    assert.equal((await db.get('a/f')).text, 'one')
    assert.match((await db.get('a/_history?limit=1')).text, /\/_attachments"/)
  })

  it('restores documents as new revisions', async () => {
    await keep()
    const [one] = await edit('changed', { n: 1 })
    const { body: { rev: same } } = await db.put('same', { n: 1 })
    const [then] = await edit('deleted', { n: 1 })
    await db.put('changed', { n: 2, _rev: (await db.get('changed')).body._rev })
    await db.remove(`deleted?rev=${(await db.get('deleted')).body._rev}`)
    await db.put('made', { n: 1 })
    const { status, body } = await db.post('_restore', { at: then, docs: ['changed', 'same', 'deleted', 'made', 'never'] })
    assert.equal(status, 201)
    assert.deepEqual(body.map(({ id, ok, error }) => [id, ok ?? error]), [['changed', true], ['same', true], ['deleted', true], ['made', true], ['never', 'not_found']])
    assert.equal(body[1].rev, same)
    for (const [id, generation, n] of [['changed', 3, 1], ['same', 1, 1], ['deleted', 3, 1]]) {
      const { body: doc } = await db.get(id)
      assert.deepEqual([doc.n, parseInt(doc._rev, 10)], [n, generation])
    }
    assertRefused(await db.get('made'), 404, 'not_found', 'deleted')
    assert.equal((await db.get(`changed?at=${one}`)).body.n, 1)
    assert.deepEqual((await db.post('_restore', { at: then, docs: ['made'] })).body[0].ok, true)
    assertRefused(await db.post('_restore', { at: then, docs: ['made', 'same', 'made'] }), 400, 'bad_request', '`docs` must name each document once.')
    assertRefused(await db.post('_restore', { docs: [] }), 400, 'bad_request', /at/)
    assertRefused(await db.post('_restore', { at: then }), 400, 'bad_request', /docs/)
    assertRefused(await db.post('_restore', { at: '2020-01-01', docs: [1] }), 400, 'bad_request', /docs/)
    assert.deepEqual((await db.post('_restore', { at: '2020-01-01', docs: ['changed'] })).body[0].error, 'gone')
  })

  it('restores no more once the client has gone', async () => {
    const ids = Array.from({ length: 20_000 }, (_, n) => `d${n}`)
    await db.post('_bulk_docs', { docs: ids.map(_id => ({ _id })) })
    await keep()
    const at = await momentOf(ids.at(-1))
    const { body: revs } = await db.get('_all_docs')
    await db.post('_bulk_docs', { docs: revs.rows.map(({ id, value }) => ({ _id: id, _rev: value.rev, n: 2 })) })
    const body = JSON.stringify({ at, docs: ids })
    const connection = await RawConnection.open()
    await connection.request('POST', db.path('_restore'), { 'Content-Type': 'application/json', 'Content-Length': body.length }, body)
    const revOf = async id => (await db.get(id)).body._rev
    while (!(await revOf('d0')).startsWith('3-')) await new Promise(resolve => setImmediate(resolve))
    await connection.reset()
    const seq = async () => (await db.get('')).body.update_seq
    for (let same = 0, last = ''; same < 20;) {
      const now = await seq()
      same = now === last ? same + 1 : 0
      last = now
    }
    assert.match(await revOf(ids.at(-1)), /^2-/)
  })

  it('keeps what retention asks for, and nothing more', async () => {
    await keep({ versions: 1 })
    const [one, two, three] = await edit('a', { n: 1 }, { n: 2 }, { n: 3 })
    await compact()
    assertRefused(await db.get(`a?at=${one}`), 410, 'gone')
    assert.equal((await db.get(`a?at=${two}`)).body.n, 2)
    assert.equal((await db.get('_history')).body.since, two)
    assertRefused(await db.get(`_all_docs?at=${one}`), 410, 'gone')
    assert.equal((await db.get(`_all_docs?at=${two}`)).body.rows.length, 1)
    assert.deepEqual((await db.get('a/_history')).body.history.map(({ time }) => time), [three, two])
  })

  it('forgets what is purged', async () => {
    await keep()
    const [one] = await edit('a', { n: 1 })
    const rev = (await db.get('a')).body._rev
    const { body: { rev: next } } = await db.put('a', { n: 2, _rev: rev })
    await db.post('_purge', { a: [next] })
    assertRefused(await db.get(`a?at=${one}`), 404, 'not_found', 'missing')
    assertRefused(await db.get('a/_history'), 404, 'not_found')
  })
})
