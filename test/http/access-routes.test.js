'use strict'

const assert = require('node:assert/strict')
const { routes } = require('../../server/lib/dispatch/routes')
const { AccessDatabase } = require('./support/access-database')
const { assertRefused } = require('./support/refusal')

/** Feeds that would last, and routes that would end the database or the test. */
const ENDING = /^(DELETE|PUT) \/:db$/

const isOfMembers = ({ path, who }) => path.startsWith('/:db') && (who === 'member' || typeof who === 'function')

/** POST routes that change nothing. */
const READS = /_find|_explain|_all_docs|_design_docs|_bulk_get|_revs_diff|_missing_revs|_view|_ensure/

/** Bodies with which a route does what it can. */
function bodyOf ({ method, path }, id, rev) {
  if (!['POST', 'PUT'].includes(method)) return undefined
  if (path.includes('_find') || path.includes('_explain')) return { selector: { n: { $gte: 0 } }, execution_stats: true }
  if (path.endsWith('/queries')) return { queries: [{}, { include_docs: true }, { keys: [id] }] }
  if (path.includes('_bulk_get')) return { docs: [{ id }, { id, rev }] }
  if (path.includes('_revs_diff') || path.includes('_missing_revs')) return { [id]: [rev] }
  if (path.includes('_restore')) return { at: 1, docs: [id] }
  return {}
}

describe('routes of a database with access by document', () => {
  const db = new AccessDatabase()
  let alice, bob

  beforeEach(async () => {
    alice = await db.user('staff')
    bob = await db.user()
    await db.admin.write('_design/app', {
      options: { access: true },
      views: { n: { map: 'function (doc) { emit(doc.n, doc) }' } },
      lists: { all: 'function (head) { var row, rows = []; while ((row = getRow())) rows.push(row); return JSON.stringify([head, rows]) }' },
      shows: { all: 'function (doc, req) { return JSON.stringify([doc, req.info]) }' },
      updates: { all: 'function (doc) { return [null, JSON.stringify(doc)] }' },
      rewrites: [{ from: '/purged', to: '../../_purged_infos' }, { from: '/one/:id', to: '../../:id' }]
    })
    await db.admin.write('_design/plain', { views: { n: { map: 'function (doc) { emit(doc.n, doc) }' } } })
  })

  const fill = (path, doc) => path.replace(/:(\w+)\+?/g, (_, name) => ({
    db: db.name, doc, id: doc, ddoc: '_design/app', view: 'n', name: 'all', local: '_local/x', attachment: 'secret', partition: 'secret', path: `one/${doc}`
  })[name] ?? 'x').slice(`/${db.name}/`.length)

  /** Returns the answer of a route to a member who asks for one document, without what differs each time. */
  async function told (route, id, rev) {
    const search = route.method === 'GET' ? '?include_docs=true' : ''
    const { status, text, headers } = await alice.request(route.method, fill(route.path, id) + search, bodyOf(route, id, rev), route.method === 'COPY' ? { Destination: `copy-of-${id}` } : {})
    return { status, text: text.replace(/"(execution_time_ms|uuid)":[^,}]+/g, ''), etag: headers.etag }
  }

  it('tell a member nothing of others, or are for administrators', async function () {
    this.timeout(600_000)
    const { body: { rev } } = await bob.put('secret', { _access: [bob.name], n: 1, hidden: 'hush', _attachments: { secret: { data: 'aHVzaA==' } } })
    const wrong = []
    for (const route of routes.filter(isOfMembers)) {
      if (ENDING.test(`${route.method} ${route.path}`)) continue
      const answer = await told(route, 'secret', rev)
      const about = `${route.method} ${route.path} ${answer.status} ${answer.text.slice(0, 200)}`
      if (!route.byDocument && answer.status !== 403) wrong.push(`open: ${about}`)
      if (/hush|aHVzaA/.test(answer.text) || answer.text.includes(bob.name)) wrong.push(`leaks: ${about}`)
    }
    assert.deepEqual(wrong, [])
    assert.deepEqual((await db.admin.get('secret')).body._rev, rev)
  })

  it('answer of a foreign document as of one that is not there, and as before it was', async function () {
    this.timeout(600_000)
    const list = routes.filter(route => isOfMembers(route) && route.byDocument && (route.method === 'GET' || READS.test(route.path)))
    await alice.write('own', { _access: [alice.name], n: 0 })
    const before = []
    for (const route of list) before.push(await told(route, 'secres', '1-a'))
    const { body: { rev } } = await bob.put('secret', { _access: [bob.name], n: 1 })
    const wrong = []
    for (const [i, route] of list.entries()) {
      const missing = await told(route, 'secres', '1-a')
      const foreign = JSON.parse(JSON.stringify(await told(route, 'secret', rev)).replaceAll('secret', 'secres').replaceAll(rev, '1-a'))
      for (const [what, answer] of Object.entries({ before: before[i], foreign })) {
        if (JSON.stringify(answer) !== JSON.stringify(missing)) wrong.push(`${route.method} ${route.path}: ${what} ${JSON.stringify(answer)} and not ${JSON.stringify(missing)}`)
      }
    }
    assert.deepEqual(wrong, [])
  })

  it('are closed where a rewrite leads to one that is', async () => {
    await bob.put('secret', { _access: [bob.name] })
    assertRefused(await alice.get('_design/app/_rewrite/purged'), 403, 'forbidden')
    assertRefused(await alice.get('_design/app/_rewrite/one/secret'), 404, 'not_found')
    assert.equal((await bob.get('_design/app/_rewrite/one/secret')).body._id, 'secret')
    assert.equal((await db.admin.get('_design/app/_rewrite/purged')).status, 200)
  })
})

describe('partitions of a database with access by document', () => {
  const db = new AccessDatabase('&partitioned=true')

  it('show what the user may see', async () => {
    const [alice, bob] = [await db.user(), await db.user()]
    const map = 'function (doc) { emit(doc.n) }'
    await db.admin.write('_design/app', { options: { access: true }, views: { n: { map } } })
    for (let n = 0; n < 4; n++) await db.admin.write(`p:${n}`, { n, _access: [n % 2 === 0 ? alice.name : bob.name] })
    await db.admin.write('q:0', { n: 0, _access: [alice.name] })
    const idsOf = rows => rows.map(({ id, _id = id }) => _id)
    assert.deepEqual(idsOf((await alice.get('_partition/p/_all_docs')).body.rows), ['p:0', 'p:2'])
    assert.deepEqual(idsOf((await bob.get('_partition/q/_all_docs')).body.rows), [])
    assert.deepEqual(idsOf((await alice.post('_partition/p/_find', { selector: { n: { $gte: 0 } } })).body.docs), ['p:0', 'p:2'])
    assert.deepEqual(idsOf((await alice.get('_design/app/_view/n')).body.rows), ['p:0', 'q:0', 'p:2'])
    assert.equal((await alice.get('_partition/p/_design/app/_view/n')).status, 400)
    assertRefused(await alice.get('_partition/p'), 403, 'forbidden')
  })
})
