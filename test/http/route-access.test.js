'use strict'

const assert = require('node:assert/strict')
const crypto = require('node:crypto')
const { routes } = require('../../server/lib/dispatch/routes')
const { get, put, remove, request } = require('./support/request')
const { server } = require('./support/server')
const { Settings } = require('./support/settings')
const { NOBODY, TestUsers } = require('./support/users')

const ours = process.env.TEST_URL === undefined

/**
 * Classes of users who may use a route, if the kind of its path does not say it: all others of a database
 * are for its members, all others of the server for administrators. From CouchDB's documentation.
 */
const EXCEPTIONS = {
  '/': 'anyone',
  '/_session': 'anyone',
  '/_up': 'anyone',
  '/_utils': 'anyone',
  '/_utils/:path+': 'anyone',
  '/_uuids': 'anyone',
  '/favicon.ico': 'anyone',
  '/_replicate': 'user',
  'PUT /:db': 'admin',
  'DELETE /:db': 'admin',
  '/:db/_purge': 'admin',
  '/:db/_purged_infos_limit': 'admin',
  '/:db/_sync_shards': 'admin',
  '/:db/_compact': 'database-admin',
  '/:db/_compact/:name': 'database-admin',
  '/:db/_view_cleanup': 'database-admin',
  '/:db/_search_cleanup': 'database-admin',
  '/:db/_nouveau_cleanup': 'database-admin',
  'PUT /:db/_adaptive_indexes': 'database-admin',
  'PUT /:db/_history': 'database-admin',
  'DELETE /:db/_history': 'database-admin',
  'PUT /:db/_revs_limit': 'database-admin',
  'PUT /:db/_security': 'database-admin',
  'PUT /:db/_schema/:schema': 'database-admin',
  'DELETE /:db/_schema/:schema': 'database-admin'
}

function classOf ({ method, path }) {
  return EXCEPTIONS[`${method} ${path}`] ?? EXCEPTIONS[path] ?? (path.startsWith('/:db') ? 'member' : 'admin')
}

const PASS = {
  anyone: ['nobody', 'stranger', 'member', 'database admin', 'server admin'],
  user: ['stranger', 'member', 'database admin', 'server admin'],
  member: ['member', 'database admin', 'server admin'],
  'database-admin': ['database admin', 'server admin'],
  admin: ['server admin']
}

/** Routes that would end the test, or the server, if they were asked. */
const ENDING = /^(DELETE|PUT) \/:db$|_restart$|_config|_cluster_setup|_reload|_reshard|^PUT \/:db\/_security$/

function fill (path, values) {
  return path.replace(/:(\w+)\+?/g, (_, name) => values[name] ?? 'x')
}

const isRefused = ({ status }) => status === 401 || status === 403

describe('access', () => {
  const users = new TestUsers()
  const settings = new Settings()

  /** Sends what a route is asked, with an object as its body where it has one. */
  const ask = ({ method, path }, values, who) => {
    const hasBody = ['POST', 'PUT'].includes(method)
    return request(method, fill(path, values), { headers: { ...who.headers, ...(method === 'COPY' && { Destination: 'other' }) }, ...(hasBody && { body: {} }) })
  }

  describe('to a database', () => {
    let people, name

    beforeEach(async () => {
      name = `test-${crypto.randomUUID()}`
      assert.ok([201, 202].includes((await put(`/${name}`)).status))
      const [stranger, member, boss] = [await users.add(), await users.add(), await users.add()]
      people = { nobody: NOBODY, stranger: stranger.as, member: member.as, 'database admin': boss.as, 'server admin': { headers: { Authorization: server.authorization } } }
      const security = { admins: { names: [boss.name] }, members: { names: [member.name] } }
      assert.equal((await put(`/${name}/_security`, security)).status, 200)
    })
    afterEach(() => remove(`/${name}`))

    it('and to the server is as each route says, for everybody', async function () {
      this.timeout(600_000)
      const wrong = []
      for (const route of routes) {
        if (!ours && /_adaptive_indexes|_reshard|_search|_nouveau|_utils|_db_updates|favicon/.test(route.path)) continue
        await Promise.all(Object.entries(people).map(async ([person, who]) => {
          const passes = PASS[classOf(route)].includes(person)
          if (passes && ENDING.test(`${route.method} ${route.path}`)) return
          const answer = await ask(route, { db: name, ddoc: '_design/x', local: '_local/x', node: '_local' }, who)
          // CouchDB has some refusals end in 500.
          const isWrong = passes ? isRefused(answer) : !isRefused(answer) && (ours || answer.status !== 500)
          if (isWrong) wrong.push(`${person}: ${route.method} ${route.path} ${answer.status} ${answer.text.slice(0, 80)}`)
        }))
      }
      assert.deepEqual(wrong, [])
    })

    it('that is not there, or by a method or path that is not, tells strangers no more', async () => {
      for (const [method, path] of [['GET', '_nope'], ['PUT', '_nope/x'], ['DELETE', '_all_dbs'], ['GET', '_Users']]) {
        for (const person of ['nobody', 'member', 'database admin']) assert.equal((await request(method, `/${path}`, people[person])).status, 401, `${person} ${path}`)
      }
      for (const [method, path] of [['GET', 'x/y/z'], ['DELETE', '_all_docs'], ['POST', '_all_docs/x']]) {
        assert.equal((await request(method, `/${name}/${path}`, people.nobody)).status, 401, path)
        assert.equal((await request(method, `/${name}/${path}`, people.stranger)).status, 403, path)
        assert.ok([404, 405].includes((await request(method, `/${name}/${path}`, people.member)).status), path)
      }
    })

    it('by its path in other writings is the same', async () => {
      for (const path of [`/${name}/`, `//${name}`, `/${encodeURIComponent(name)}`, `/${name.replace('t', '%74')}/_all_docs`, `/${name}/%5Fall_docs`, `/${name}/_all_docs/`, `/./${name}`, `/x/../${name}`]) {
        for (const person of ['nobody', 'stranger']) {
          const { status, text } = await get(path, people[person])
          assert.ok(status >= 400, `${person} ${path}: ${status} ${text}`)
        }
      }
    })

    it('does not come with its design documents', async () => {
      const { member, 'database admin': boss, stranger, nobody } = people
      const design = { views: { v: { map: 'function (doc) { emit(doc._id) }' } } }
      assert.equal((await put(`/${name}/_design/d`, design, boss)).status, 201)
      const { body: { _rev: rev } } = await get(`/${name}/_design/d`, member)
      const attempts = who => [
        put(`/${name}/_design/d`, { ...design, _rev: rev }, who),
        put(`/${name}/_design%2Fd`, { ...design, _rev: rev }, who),
        remove(`/${name}/_design/d?rev=${rev}`, who),
        put(`/${name}/_design/new`, {}, who),
        put(`/${name}/_design/d/file?rev=${rev}`, 'x', { headers: { ...who.headers, 'Content-Type': 'text/plain' } }),
        request('COPY', `/${name}/_design/d`, { headers: { ...who.headers, Destination: '_design/copy' } }),
        request('POST', `/${name}`, { ...who, body: { _id: '_design/posted' } })
      ]
      for (const who of [member, stranger, nobody]) {
        for (const answer of await Promise.all(attempts(who))) assert.ok(isRefused(answer), `${answer.status} ${answer.text}`)
      }
      const bulk = { docs: [{ _id: '_design/bulk' }, { _id: '_design/d', _rev: '9-abc', x: 1 }] }
      const made = await request('POST', `/${name}/_bulk_docs`, { ...member, body: bulk })
      assert.deepEqual(made.body.map(({ error }) => error), ['forbidden', ours ? 'forbidden' : 'conflict'])
      await request('POST', `/${name}/_bulk_docs`, { ...member, body: { ...bulk, new_edits: false } })
      const left = await get(`/${name}/_design_docs`)
      assert.deepEqual(left.body.rows.map(({ id, value }) => [id, value.rev]), [['_design/d', rev]])
    })
  })

  describe('to the database of users', () => {
    const SECRET = `secret-${crypto.randomUUID()}`
    const CLOSED = { members: { roles: ['_admin'] }, admins: { roles: ['_admin'] } }
    const DESIGN = '/_users/_design/access'

    const design = {
      views: { x: { map: 'function (doc) { emit(doc._id, doc) }' } },
      shows: { x: 'function (doc) { return JSON.stringify(doc) }' },
      lists: { x: 'function () { var row; while (row = getRow()) send(JSON.stringify(row)) }' },
      updates: { x: 'function (doc) { return [null, JSON.stringify(doc)] }' },
      filters: { x: 'function () { return true }' },
      rewrites: [{ from: '*', to: '../../*' }]
    }

    let jan, eva

    beforeEach(async () => {
      await settings.set('couchdb', 'users_db_security_editable', true)
      ;[jan, eva] = [await users.add(), await users.add({ more: SECRET })]
      assert.equal((await put(DESIGN, design)).status, 201)
    })
    afterEach(async () => {
      assert.equal((await put('/_users/_security', CLOSED)).status, 200)
      await remove(`${DESIGN}?rev=${(await get(DESIGN)).body._rev}`)
    })

    const inUsers = routes.filter(({ method, path }) => path.startsWith('/:db') && !ENDING.test(`${method} ${path}`))
    const values = () => ({ db: '_users', ddoc: '_design/access', local: '_local/x', doc: eva.id, id: eva.id, attachment: 'x', node: '_local', other: 'access', view: 'x' })

    it('is nobody\'s but administrators\' on any route', async function () {
      if (!ours) this.skip()
      this.timeout(600_000)
      const open = []
      for (const route of inUsers) {
        const answers = await Promise.all([NOBODY, jan.as].map(who => ask(route, values(), who)))
        for (const answer of answers) if (!isRefused(answer)) open.push(`${route.method} ${route.path} ${answer.status}`)
      }
      assert.deepEqual(open, [])
    })

    it('shows and changes nothing of others on any route, when it is open to all', async function () {
      this.timeout(600_000)
      assert.equal((await put('/_users/_security', { members: {}, admins: { names: [] } })).status, 200)
      const { body: before } = await get(eva.path)
      for (const route of inUsers) {
        const queries = route.method === 'GET' ? ['', '?include_docs=true', '?open_revs=all'] : ['']
        await Promise.all([NOBODY, jan.as].flatMap(who => queries.map(async query => {
          const { text } = await ask({ ...route, path: route.path + query }, values(), who)
          assert.ok(!text.includes(SECRET) && !text.includes(before.derived_key), `${route.method} ${route.path}${query}: ${text}`)
        })))
      }
      for (const [path, body] of [
        ['_find', { selector: { _id: { $gt: null } } }], ['_bulk_get', { docs: [{ id: eva.id }, { id: eva.id, rev: before._rev }] }],
        ['_all_docs', { keys: [eva.id], include_docs: true }], ['_changes?filter=_doc_ids&include_docs=true', { doc_ids: [eva.id] }],
        ['_changes?filter=_selector&include_docs=true', { selector: {} }], ['_explain', { selector: {} }], ['_design/access/_view/x', { keys: [eva.id] }]
      ]) {
        for (const who of [NOBODY, jan.as]) {
          const { text } = await request('POST', `/_users/${path}`, { ...who, body })
          assert.ok(!text.includes(SECRET) && !text.includes(before.derived_key), `${path}: ${text}`)
        }
      }
      assert.deepEqual((await get(eva.path)).body, before)
    })
  })
})
