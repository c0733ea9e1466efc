'use strict'

const assert = require('node:assert/strict')
const crypto = require('node:crypto')
const fs = require('node:fs/promises')
const os = require('node:os')
const path = require('node:path')
const PouchDB = require('pouchdb')
const { AccessDatabase } = require('./support/access-database')
const { open } = require('./support/request')
const { server } = require('./support/server')

describe('feeds of a database with access by document', () => {
  const db = new AccessDatabase()
  let alice, bob

  beforeEach(async () => {
    alice = await db.user('staff')
    bob = await db.user()
  })

  /** Asks for what a change names, as a replicator does. */
  const revisionsOf = async (user, { id, changes }) => {
    const { body } = await user.post('_bulk_get?revs=true&latest=true', { docs: changes.map(({ rev }) => ({ id, rev })) })
    return body.results.map(({ docs: [{ ok }] }) => ok)
  }

  it('tell who loses a document that it went', async () => {
    const rev = await db.admin.write('a', { _access: [alice.name, bob.name], secret: 1 })
    const { last_seq: since } = await bob.changes()
    const { last_seq: never } = await (await db.user()).changes()
    const next = await db.admin.write('a', { _rev: rev, _access: [alice.name], secret: 2 })
    await db.admin.write('a', { _rev: next, _access: [alice.name], secret: 3 })
    const { rows, results, last_seq: last } = await bob.changes(since, '&include_docs=true')
    assert.deepEqual(rows, ['-a'])
    assert.deepEqual([results[0].deleted, results[0]._access, results[0].doc._deleted, results[0].doc.secret], [true, false, true, undefined])
    const [stub] = await revisionsOf(bob, results[0])
    assert.deepEqual(stub, { _id: 'a', _rev: results[0].changes[0].rev, _deleted: true, _revisions: { start: 2, ids: [stub._rev.slice(2), rev.slice(2)] } })
    assert.deepEqual((await bob.get(`a?open_revs=["${stub._rev}"]`)).body, [{ ok: { _id: 'a', _rev: stub._rev, _deleted: true } }])
    assert.deepEqual((await bob.post('_revs_diff', { a: [stub._rev] })).body, {})
    assert.deepEqual((await bob.changes(last)).rows, [])
    assert.deepEqual((await bob.changes()).rows, [])
    assert.deepEqual((await (await db.user()).changes(never)).rows, [])
    assert.deepEqual((await alice.changes()).rows, ['a'])
    assert.deepEqual((await db.admin.changes()).rows, ['a'])
  })

  it('tell who gains a document, and loses it again', async () => {
    const rev = await db.admin.write('a', { _access: [alice.name] })
    await db.admin.write('b', { _access: [bob.name] })
    const { last_seq: first } = await bob.changes()
    const second = await db.admin.write('a', { _rev: rev, _access: [bob.name] })
    const gained = await bob.changes(first)
    assert.deepEqual(gained.rows, ['a'])
    const third = await db.admin.write('a', { _rev: second, _access: [] })
    assert.deepEqual((await bob.changes(gained.last_seq)).rows, ['-a'])
    // It came and went meanwhile.
    assert.deepEqual((await bob.changes(first)).rows, [])
    await db.admin.write('a', { _rev: third, _access: [bob.name] })
    assert.deepEqual((await bob.changes(first)).rows, ['a'])
    assert.deepEqual((await bob.changes(gained.last_seq)).rows, ['a'])
    assert.deepEqual((await bob.changes()).rows, ['b', 'a'])
  })

  it('tell what a change of roles means', async () => {
    await db.admin.write('old', { _access: ['role:staff'] })
    await db.admin.write('boss', { _access: ['role:bosses'] })
    await db.admin.write('both', { _access: ['role:staff', alice.name] })
    await db.admin.write('mine', { _access: [alice.name] })
    const { last_seq: since, rows } = await alice.changes()
    assert.deepEqual(rows, ['old', 'both', 'mine'])
    await db.admin.write('late', { _access: ['role:staff'] })
    await db.admin.write('new', { _access: [alice.name] })
    alice = await db.setRoles(alice, 'bosses')
    const changed = await alice.changes(since)
    // A document that came for the lost role later was never theirs.
    assert.deepEqual(changed.rows, ['-old', 'boss', 'new'])
    assert.deepEqual((await revisionsOf(alice, changed.results[0]))[0]._deleted, true)
    assert.deepEqual((await alice.changes(changed.last_seq)).rows, [])
    assert.deepEqual((await alice.changes()).rows, ['boss', 'both', 'mine', 'new'])
    alice = await db.setRoles(alice, 'staff', 'bosses')
    assert.deepEqual((await alice.changes(changed.last_seq)).rows, ['old', 'late'])
    alice = await db.setRoles(alice)
    assert.deepEqual((await alice.changes((await alice.changes(changed.last_seq)).last_seq)).rows, [])
  })

  it('tell it in parts, and go on where they were', async () => {
    const count = 50
    for (let i = 0; i < count; i++) await db.admin.write(`${i}`, { _access: [i % 2 === 0 ? 'role:staff' : 'role:bosses', ...(i % 5 === 0 ? [alice.name] : [])] })
    const { last_seq: since } = await alice.changes()
    for (let i = count; i < count + 10; i++) await db.admin.write(`${i}`, { _access: [alice.name, 'role:bosses'] })
    alice = await db.setRoles(alice, 'bosses')
    const whole = await alice.changes(since)
    assert.equal(whole.rows.filter(row => row.startsWith('-')).length, 20)
    assert.equal(whole.rows.filter(row => !row.startsWith('-')).length, 20 + 10)
    for (const limit of [1, 7]) {
      const rows = []
      let last = since
      for (;;) {
        const part = await alice.changes(last, `&limit=${limit}`)
        if (part.rows.length === 0) break
        rows.push(...part.rows)
        last = part.results.at(-1).seq
      }
      assert.deepEqual(rows, whole.rows)
    }
    // The roles change again on the way.
    const { results } = await alice.changes(since, '&limit=10')
    alice = await db.setRoles(alice, 'staff')
    const { rows } = await alice.changes(results.at(-1).seq)
    const had = new Map()
    for (const row of [...results.map(({ id, deleted }) => deleted ? `-${id}` : id), ...rows]) had.set(row.replace('-', ''), !row.startsWith('-'))
    for (const id of await alice.ids()) if (had.has(id)) assert.equal(had.get(id), true, id)
    const seen = await alice.ids()
    for (const [id, isThere] of had) if (isThere) assert.ok(seen.includes(id), id)
  })

  it('last: continuous, longpoll and eventsource', async () => {
    const { last_seq: since } = await alice.changes()
    const headers = alice.as.headers
    const polled = alice.get(`_changes?feed=longpoll&since=${since}`)
    const feed = await open('GET', db.path('_changes?feed=continuous&since=now&heartbeat=1000&include_docs=true'), { headers })
    const events = await open('GET', db.path('_changes?feed=eventsource&since=now'), { headers })
    const lines = readLines(feed)
    const shown = readLines(events)
    await lines.next()
    await shown.next()
    await bob.write('b', { _access: [bob.name] })
    const rev = await db.admin.write('a', { _access: [alice.name] })
    await db.admin.write('a', { _rev: rev, _access: [bob.name] })
    const told = await take(lines, 2)
    assert.deepEqual(told.map(({ id, deleted, _access }) => [id, deleted, _access]), [['a', undefined, undefined], ['a', true, false]])
    assert.equal(told[0].doc._rev, rev)
    assert.deepEqual((await polled).body.results.map(({ id }) => id), ['a'])
    assert.equal((await take(shown, 1))[0].id, 'a')
  })

  it('end when roles change, so that the next one tells what that means', async () => {
    await db.admin.write('a', { _access: ['role:bosses'] })
    const { last_seq: since } = await alice.changes()
    const polled = await open('GET', db.path(`_changes?feed=longpoll&heartbeat=100000&since=${since}`), { headers: alice.as.headers })
    const feed = await open('GET', db.path(`_changes?feed=continuous&since=${since}&heartbeat=100000`), { headers: alice.as.headers })
    const kept = await open('GET', db.path('_changes?feed=continuous&since=now&heartbeat=100000'), { headers: bob.as.headers })
    alice = await db.setRoles(alice, 'bosses')
    const { results, last_seq: last } = /** @type {any} */ (await polled.json())
    assert.deepEqual(results, [])
    assert.deepEqual(Object.keys((await take(readLines(feed), 1))[0]), ['last_seq', 'pending'])
    assert.deepEqual((await alice.changes(last)).rows, ['a'])
    // Another revision of the same roles.
    await db.setRoles(bob)
    await db.admin.write('b', { _access: [bob.name] })
    assert.deepEqual((await take(readLines(kept), 1)).map(({ id }) => id), ['b'])
  })

  it('end when `_security` takes rights of their users, and no others', async () => {
    const chief = await db.user()
    const setSecurity = async (admins, members) => assert.equal((await db.admin.put('_security', { admins: { names: admins }, members: { names: members } })).status, 200)
    const follow = user => open('GET', db.path('_changes?feed=continuous&since=now&heartbeat=100000'), { headers: user.as.headers })
    await setSecurity([chief.name], [alice.name, bob.name])
    const [hers, his, ofChief] = await Promise.all([alice, bob, chief].map(follow))
    const ofAdmin = await open('GET', db.path('_changes?feed=continuous&since=now&heartbeat=100000'))
    const polled = await open('GET', db.path('_changes?feed=longpoll&since=now&heartbeat=100000'), { headers: alice.as.headers })
    await setSecurity([], [bob.name, chief.name])
    assert.deepEqual(/** @type {any} */ (await polled.json()).results, [])
    for (const ended of [hers, ofChief]) assert.deepEqual(Object.keys((await take(readLines(ended), 1))[0]), ['last_seq', 'pending'])
    assert.equal((await alice.get('_changes')).status, 403)
    await bob.write('b', { _access: [bob.name] })
    for (const kept of [his, ofAdmin]) assert.deepEqual((await take(readLines(kept), 1)).map(({ id }) => id), ['b'])
  })

  it('filter what is the user\'s', async () => {
    await db.admin.write('_design/app', { filters: { odd: 'function (doc) { return doc.n % 2 === 1 }' }, views: { odd: { map: 'function (doc) { if (doc.n % 2 === 1) emit(doc.n) }' } } })
    for (let n = 0; n < 4; n++) await db.admin.write(`${n}`, { n, _access: n < 2 ? [alice.name] : [bob.name] })
    const ids = async (rest, body) => (body === undefined ? await alice.get(rest) : await alice.post(rest, body)).body.results.map(({ id }) => id)
    assert.deepEqual(await ids('_changes?filter=app/odd'), ['1'])
    assert.deepEqual(await ids('_changes?filter=_view&view=app/odd'), ['1'])
    assert.deepEqual(await ids('_changes?filter=_design'), ['_design/app'])
    assert.deepEqual(await ids('_changes?filter=_doc_ids', { doc_ids: ['0', '3', 'x'] }), ['0'])
    assert.deepEqual(await ids('_changes?filter=_selector', { selector: { n: { $gt: 0 } } }), ['1'])
    assert.deepEqual(await ids('_changes?descending=true'), ['1', '0', '_design/app'])
  })

  describe('with a PouchDB that knows nothing of it', () => {
    let folder, Local

    before(async () => {
      folder = await fs.mkdtemp(path.join(os.tmpdir(), 'potoroo-access-'))
      Local = PouchDB.defaults({ prefix: folder + path.sep })
    })

    after(() => fs.rm(folder, { recursive: true, force: true }))

    const remote = ({ name, password }) => new PouchDB(server.origin + db.path(), { auth: { username: name, password }, skip_setup: true })

    it('sync a user\'s documents, and take away what they lose', async () => {
      const mine = new Local(crypto.randomUUID())
      const there = remote(bob)
      const sync = async () => { const { push, pull } = await mine.sync(there); return [push.docs_written, push.doc_write_failures, pull.docs_written] }
      await mine.put({ _id: 'here', _access: [bob.name] })
      await db.admin.write('foreign', { _access: [alice.name] })
      const rev = await db.admin.write('a', { _access: ['role:staff', bob.name], n: 1 })
      assert.deepEqual(await sync(), [1, 0, 1])
      assert.equal((await alice.get('a')).status, 200)
      const { rev: edited } = await mine.put({ ...await mine.get('a'), n: 2 })
      assert.deepEqual(await sync(), [1, 0, 0])
      assert.notEqual(edited, rev)
      await db.admin.write('a', { _rev: edited, _access: ['role:staff'], n: 3 })
      await alice.write('more', { _access: [alice.name] })
      assert.deepEqual(await sync(), [0, 0, 1])
      await assert.rejects(mine.get('a'), { status: 404, reason: 'deleted' })
      // It does not come back, and nothing goes the other way.
      assert.deepEqual(await sync(), [0, 0, 0])
      assert.equal((await db.admin.get('a?conflicts=true&deleted_conflicts=true')).body._deleted_conflicts, undefined)
      const { body: { _rev: last } } = await db.admin.get('a')
      await db.admin.write('a', { _rev: last, _access: ['role:staff', bob.name], n: 4 })
      await sync()
      assert.equal((await mine.get('a')).n, 4)
      assert.deepEqual((await mine.allDocs()).rows.map(({ id }) => id), ['a', 'here'])
      await mine.remove(await mine.get('a'))
      await sync()
      assert.equal((await alice.get('a')).body.reason, 'deleted')
      await mine.put({ _id: 'gone', _access: [bob.name] })
      await mine.remove(await mine.get('gone'))
      assert.deepEqual((await sync()).slice(0, 2), [1, 0])
      await mine.destroy()
    })

    it('follow a change of roles', async () => {
      const mine = new Local(crypto.randomUUID())
      await db.admin.write('team', { _access: ['role:staff'] })
      await db.admin.write('boss', { _access: ['role:bosses'] })
      await mine.replicate.from(remote(alice))
      assert.deepEqual((await mine.allDocs()).rows.map(({ id }) => id), ['team'])
      alice = await db.setRoles(alice, 'bosses')
      await mine.replicate.from(remote(alice))
      assert.deepEqual((await mine.allDocs()).rows.map(({ id }) => id), ['boss'])
      await mine.destroy()
    })

    it('replicate between two such databases with who may see what', async () => {
      await db.admin.write('a', { _access: [alice.name] })
      const rev = await db.admin.write('b', { _access: { read: [bob.name], write: [alice.name] } })
      await db.admin.remove(`b?rev=${rev}`)
      const { name } = db
      const copy = `${name}-copy`
      const { put, post, get, remove } = require('./support/request')
      assert.equal((await put(`/${copy}?access=true&q=1`)).status, 201)
      try {
        await put(`/${copy}/_security`, {})
        const { username, password } = server.credentials
        const url = database => ({ url: `${server.origin}/${database}`, auth: { basic: { username, password } } })
        assert.equal((await post('/_replicate', { source: url(name), target: url(copy) })).status, 200)
        const seen = async user => (await get(`/${copy}/_changes`, user.as)).body.results.map(({ id, deleted }) => deleted ? `x${id}` : id)
        assert.deepEqual(await seen(alice), ['a', 'xb'])
        assert.deepEqual(await seen(bob), ['xb'])
      } finally {
        await remove(`/${copy}`)
      }
    })
  })
})

/** The lines of a response, as they come. @param {Response} response */
async function * readLines (response) {
  let text = ''
  for await (const chunk of /** @type {any} */ (response.body)) {
    text += Buffer.from(chunk).toString()
    const lines = text.split('\n')
    text = /** @type {string} */ (lines.pop())
    yield * lines
  }
}

/** The next lines that hold a change. @param {AsyncGenerator<string>} lines @param {number} count */
async function take (lines, count) {
  const found = []
  while (found.length < count) {
    const { value, done } = await lines.next()
    assert.ok(!done)
    const json = value.replace(/^data: /, '')
    if (json.startsWith('{')) found.push(JSON.parse(json))
  }
  await lines.return(undefined)
  return found
}
