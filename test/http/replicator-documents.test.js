'use strict'

const assert = require('node:assert/strict')
const { TestDatabase } = require('./support/database')
const { assertRefused } = require('./support/refusal')
const { get, post, put, remove } = require('./support/request')
const { server } = require('./support/server')

const basic = (name, password) => `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`

const INFO = ['bulk_get_attempts', 'bulk_get_docs', 'changes_pending', 'checkpointed_source_seq', 'doc_write_failures', 'docs_read', 'docs_written', 'missing_revisions_found', 'revisions_checked']

/** Asks until the answer is as it is to be; the test's own time-out is the limit. */
async function eventually (ask, isSo) {
  for (;;) {
    const answer = await ask()
    if (isSo(answer)) return answer
  }
}

describe('_replicator documents', function () {
  this.timeout(600_000)
  const source = new TestDatabase()
  const target = new TestDatabase()
  let replicators = ''

  const urlOf = name => {
    const url = new URL(`/${name}`, server.origin)
    url.username = server.credentials.username
    url.password = server.credentials.password
    return url.href
  }
  const shownUrl = name => `${server.origin}/${name}/`
  const path = id => `/${encodeURIComponent(replicators)}${id === undefined ? '' : `/${id}`}`
  const write = (id, doc, options) => put(path(id), { source: urlOf(source.name), target: urlOf(target.name), ...doc }, options)
  const scheduled = id => get(`/_scheduler/docs/${replicators}/${id}`)
  const inState = (id, state) => eventually(() => scheduled(id), ({ body }) => body.state === state)
  const told = (id, state) => eventually(() => get(path(id)), ({ body }) => body._replication_state === state)

  beforeEach(async () => {
    replicators = `${source.name}-r/_replicator`
    assert.equal((await put(path())).status, 201)
    await source.post('_bulk_docs', { docs: [{ _id: 'a' }, { _id: 'b' }, { _id: '_design/d', filters: { f: 'function () { return true }' } }] })
  })
  afterEach(() => remove(path()))

  it('belong to who wrote them, however large they are, and whatever else is in them', async () => {
    const small = JSON.stringify({ source: urlOf(source.name), target: urlOf(target.name), owner: null })
    const large = `"filler":${JSON.stringify(Array(400).fill('x'.repeat(1000)))}`
    for (const [id, more] of [['large', large], ['long', '"n":12345678901234567890'], ['both', `${large},"n":12345678901234567890`]]) {
      assert.equal((await put(path(id), `{${more},${small.slice(1)}`)).status, 201)
      assert.equal((await told(id, 'completed')).body.owner, server.credentials.username)
    }
  })

  it('replicate once, and are told how it ended', async () => {
    await write('once')
    const { body } = await told('once', 'completed')
    assert.equal(body.owner, server.credentials.username)
    assert.match(body._replication_state_time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
    assert.deepEqual(Object.keys(body._replication_stats).sort(), [...INFO, 'start_time'].sort())
    assert.equal(body._replication_stats.docs_written, 3)
    assert.equal((await target.get()).body.doc_count, 3)
    const { body: shown } = await scheduled('once')
    const { start_time: startTime, ...info } = body._replication_stats
    assert.deepEqual(shown, {
      database: replicators,
      doc_id: 'once',
      id: null,
      source: shownUrl(source.name),
      target: shownUrl(target.name),
      state: 'completed',
      error_count: 0,
      info,
      start_time: startTime,
      last_updated: body._replication_state_time
    })
    assert.ok(!(await get('/_scheduler/jobs?limit=1000')).body.jobs.some(({ doc_id: id, database }) => id === 'once' && database === replicators))
  })

  it('replicate for ever, and are shown as jobs and tasks meanwhile', async () => {
    await write('live', { continuous: true })
    await inState('live', 'running')
    await source.put('later', {})
    await eventually(() => target.get('later'), ({ status }) => status === 200)
    const { body: doc } = await scheduled('live')
    assert.deepEqual(Object.keys(doc).sort(), ['database', 'doc_id', 'error_count', 'id', 'info', 'last_updated', 'node', 'source', 'source_proxy', 'start_time', 'state', 'target', 'target_proxy'])
    assert.match(doc.id, /^[0-9a-f]{32}\+continuous$/)
    const { body: job } = await get(`/_scheduler/jobs/${encodeURIComponent(doc.id)}`)
    assert.deepEqual(Object.keys(job).sort(), ['database', 'doc_id', 'history', 'id', 'info', 'node', 'pid', 'source', 'start_time', 'target', 'user'])
    assert.deepEqual(job.history.map(({ type }) => type), ['started', 'added'])
    assert.deepEqual([job.database, job.doc_id, job.source, job.user], [replicators, 'live', shownUrl(source.name), null])
    assert.equal((await get(`/_scheduler/jobs/${doc.id}`)).body.id, doc.id)
    const task = (await get('/_active_tasks')).body.find(({ replication_id: id }) => id === doc.id)
    const members = ['checkpoint_interval', 'continuous', 'database', 'doc_id', 'node', 'pid', 'process_status', 'replication_id', 'source', 'source_seq', 'started_on', 'target', 'type', 'updated_on', 'user']
    for (const name of [...INFO, ...members]) assert.ok(Object.hasOwn(task, name), name)
    assert.deepEqual([task.type, task.continuous, task.doc_id, task.checkpoint_interval], ['replication', true, 'live', 30000])
  })

  it('are listed in ranges of any JSON', async () => {
    for (const key of [{ toString: 1 }, [], 7, null]) {
      const { status, body } = await get(`/_scheduler/docs/${replicators}?startkey=[]&endkey=${encodeURIComponent(JSON.stringify(key))}`)
      assert.deepEqual([status, body.docs], [200, []])
    }
  })

  it('end with their document', async () => {
    const { body: { rev } } = await write('live', { continuous: true })
    const { body: { id } } = await inState('live', 'running')
    await remove(path(`live?rev=${rev}`))
    await eventually(() => get(`/_scheduler/jobs/${encodeURIComponent(id)}`), ({ status }) => status === 404)
    assertRefused(await scheduled('live'), 404, 'not_found')
  })

  it('end with their database', async () => {
    await write('live', { continuous: true })
    const { body: { id } } = await inState('live', 'running')
    await remove(path())
    await eventually(() => get(`/_scheduler/jobs/${encodeURIComponent(id)}`), ({ status }) => status === 404)
  })

  it('start anew when they are changed', async () => {
    const { body: { rev } } = await write('live', { continuous: true })
    const { body: { id } } = await inState('live', 'running')
    await write('live', { continuous: true, doc_ids: ['a'], _rev: rev })
    const { body: changed } = await eventually(() => scheduled('live'), ({ body }) => body.state === 'running' && body.id !== id)
    assert.equal((await get(`/_scheduler/jobs/${encodeURIComponent(id)}`)).status, 404)
    assert.equal((await get(`/_scheduler/jobs/${encodeURIComponent(changed.id)}`)).status, 200)
  })

  it('fail where another does the same', async () => {
    await write('first', { continuous: true })
    const { body: { id } } = await inState('first', 'running')
    await write('second', { continuous: true })
    const { body } = await told('second', 'failed')
    assert.equal(body._replication_state_reason, `Replication \`${id}\` specified by document \`second\` already started, triggered by document \`first\` from db \`${replicators}\``)
    const { body: shown } = await scheduled('second')
    assert.deepEqual([shown.state, shown.error_count, shown.info], ['failed', 1, { error: body._replication_state_reason }])
  })

  it('crash where a side is not there, and are tried again later', async () => {
    await write('crash', { source: urlOf('no-such-database'), continuous: true })
    const { body } = await inState('crash', 'crashing')
    assert.deepEqual(body.info, { error: `db_not_found: could not open ${shownUrl('no-such-database')}` })
    assert.equal(body.error_count, 1)
    const { body: job } = await get(`/_scheduler/jobs/${encodeURIComponent(body.id)}`)
    assert.deepEqual(job.history.map(({ type, reason }) => [type, reason]), [['crashed', body.info.error], ['started', undefined], ['added', undefined]])
    assert.equal(job.pid, null)
    assert.equal((await get(path('crash'))).body._replication_state, undefined)
  })

  it('are in error where their filter cannot be had', async () => {
    await write('filtered', { filter: 'd/none' })
    const { body } = await inState('filtered', 'error')
    assert.match(body.info.error, /Couldn't parse filter code from document d/)
    assert.deepEqual([body.id, body.error_count], [null, 1])
  })

  it('are told more with update_docs', async () => {
    await put('/_node/_local/_config/replicator/update_docs', '"true"')
    try {
      await write('live', { continuous: true })
      const { body } = await told('live', 'triggered')
      assert.equal(body._replication_id, (await inState('live', 'running')).body.id)
      await write('crash', { source: urlOf('no-such-database') })
      const { body: crashed } = await told('crash', 'error')
      assert.match(crashed._replication_state_reason, /could not open/)
    } finally {
      await remove('/_node/_local/_config/replicator/update_docs')
    }
  })

  it('are listed with their states', async () => {
    await write('a-once')
    await told('a-once', 'completed')
    await write('b-live', { continuous: true })
    await inState('b-live', 'running')
    const list = async query => (await get(`/_scheduler/docs/${replicators}${query}`)).body
    const all = await list('')
    assert.deepEqual(Object.keys(all).sort(), ['docs', 'offset', 'total_rows'])
    assert.deepEqual(all.docs.map(({ doc_id: id, state }) => [id, state]), [['a-once', 'completed'], ['b-live', 'running']])
    assert.deepEqual((await list('?states=running,crashing')).docs.map(({ doc_id: id }) => id), ['b-live'])
    assert.deepEqual((await list('?skip=1')).docs.map(({ doc_id: id }) => id), ['b-live'])
    assert.deepEqual((await list('?limit=1')).docs.map(({ doc_id: id }) => id), ['a-once'])
    await put(path('_design/x'), {})
    assert.equal((await list('')).docs.length, 2)
    assertRefused(await get('/_scheduler/docs?states=running,foo'), 400, 'query_parse_error', 'Unknown states [foo]. Choose from: [initializing,error,running,pending,crashing,completed,failed]')
    assertRefused(await get('/_scheduler/docs/foo'), 400, 'bad_request', 'Invalid path')
    assertRefused(await get('/_scheduler/jobs?limit=x'), 400, 'query_parse_error', 'limit must be an integer')
    assertRefused(await get('/_scheduler/jobs?skip=-1'), 400, 'query_parse_error', 'skip not in range of [0,infinity]')
    for (const path of ['', '/nope', '/jobs/a/b']) {
      const { status, body } = await get(`/_scheduler${path}`)
      assert.deepEqual([status, body], [404, { error: 'not found' }], path)
      assertRefused(await post(`/_scheduler${path}`, {}), 405, 'method_not_allowed', 'Only GET,HEAD allowed')
    }
    assertRefused(await get('/_scheduler/jobs/none'), 404, 'not_found', 'missing')
  })

  for (const [what, doc, reason] of [
    ['no source', { source: undefined }, /Missing replicator database/],
    ['a source that is no URL', { source: { url: 3 } }, /endpoint has an invalid url/],
    ['a protocol that is not allowed', { source: { url: 'ftp://127.0.0.1/x' } }, /endpoint has an invalid url/],
    ['continuous that is no boolean', { continuous: 3 }, /parameter `continuous` must be a boolean/],
    ['doc_ids that are no list', { doc_ids: 3 }, /parameter `doc_ids` must be an array/],
    ['a selector that is no object', { selector: 'x' }, /parameter `selector` must be a JSON object/],
    ['doc_ids and a selector', { doc_ids: [], selector: {} }, /mutually exclusive/],
    ['a filter without a design document', { filter: 'x' }, /Invalid filter. Must match `ddocname\/filtername`./]
  ]) {
    it(`are refused with ${what}`, async () => {
      assertRefused(await write('bad', doc), 403, 'forbidden', reason)
      assert.equal((await get(path('bad'))).status, 404)
    })
  }

  describe('of several users', () => {
    const [bob, carl] = ['bob', 'carl'].map(name => ({ name: `${name}-replicates`, headers: { Authorization: basic(`${name}-replicates`, 'secret') } }))

    before(async () => {
      for (const { name } of [bob, carl]) await put(`/_users/org.couchdb.user:${name}`, { name, password: 'secret', roles: [], type: 'user' })
    })
    after(async () => {
      for (const { name } of [bob, carl]) {
        const { body } = await get(`/_users/org.couchdb.user:${name}`)
        await remove(`/_users/org.couchdb.user:${name}?rev=${body._rev}`)
      }
    })
    beforeEach(() => put(`${path()}/_security`, { members: { names: [bob.name, carl.name] }, admins: { roles: ['_admin'] } }))

    const secret = { source: 'http://u:open-sesame@127.0.0.1:1/a', target: { url: 'http://127.0.0.1:1/b', headers: { 'X-Key': 'open-sesame' }, auth: { basic: { username: 'u', password: 'open-sesame' } } }, source_proxy: 'http://u:open-sesame@127.0.0.1:3128' }

    it('show their credentials to their owner and to administrators alone', async () => {
      await write('hers', { ...secret }, bob)
      assert.match((await get(path('hers'), bob)).text, /open-sesame/)
      assert.match((await get(path('hers'))).text, /open-sesame/)
      const { body: seen } = await get(path('hers'), carl)
      assert.deepEqual([seen.source, seen.target, seen.source_proxy, seen.owner], ['http://127.0.0.1:1/a', { url: 'http://127.0.0.1:1/b' }, 'http://127.0.0.1:3128', bob.name])
      for (const [method, rest, body] of [
        ['GET', '/_all_docs?include_docs=true'],
        ['GET', '/_changes?include_docs=true&style=all_docs'],
        ['GET', '/hers?open_revs=all'],
        ['POST', '/_bulk_get?revs=true', { docs: [{ id: 'hers' }] }],
        ['POST', '/_all_docs?include_docs=true', { keys: ['hers'] }]
      ]) {
        const { status, text } = await (method === 'GET' ? get(path() + rest, carl) : post(path() + rest, body, carl))
        assert.equal(status, 200, rest)
        assert.ok(text.includes('hers') && !text.includes('open-sesame'), `${rest}: ${text}`)
      }
    })

    it('come with their attachments to those who do not see their credentials', async () => {
      await write('hers', { ...secret, _attachments: { a: { data: Buffer.from('of hers').toString('base64') } } }, bob)
      await told('hers', 'failed')
      for (const query of ['attachments=true', 'open_revs=all']) {
        const { status, text } = await get(`${path('hers')}?${query}`, { headers: { ...carl.headers, Accept: 'multipart/*' } })
        assert.equal(status, 200, query)
        assert.ok(text.includes('of hers') && !text.includes('open-sesame'), `${query}: ${text}`)
      }
      const { body: { _rev: rev } } = await get(path('hers'), carl)
      assert.equal((await get(`${path('hers')}/a?rev=${rev}`, carl)).text, 'of hers')
    })

    it('do not tell by a filter what they do not show', async () => {
      await write('hers', { ...secret }, bob)
      const selector = { source: { $regex: 'open-sesame' } }
      const { text } = await post(`${path()}/_changes?filter=_selector`, { selector }, carl)
      assert.ok(!text.includes('"hers"'), text)
      for (const [rest, body] of [['_find', { selector }], ['_explain', { selector }]]) {
        const answer = await post(`${path()}/${rest}`, body, carl)
        assert.ok(!answer.text.includes('hers'), answer.text)
      }
    })

    it('belong to who wrote them', async () => {
      await write('his', { ...secret }, carl)
      const { body } = await get(path('his'))
      assert.equal(body.owner, carl.name)
      const words = 'Can\'t update replication documents from other users.'
      assertRefused(await write('mine', { ...secret, owner: carl.name }, bob), 403, 'forbidden', words)
      assertRefused(await write('his', { ...body, target: 'http://127.0.0.1:1/c' }, bob), 403, 'forbidden', words)
    })

    it('list what runs for administrators alone', async () => {
      for (const each of ['_scheduler/jobs', '_scheduler/docs', `_scheduler/docs/${replicators}`, '_active_tasks']) {
        assertRefused(await get(`/${each}`, bob), 401, 'unauthorized', 'You are not a server admin.')
      }
      for (const each of ['_all_docs', '_changes']) assert.ok([401, 403].includes((await get(`/_replicator/${each}`, bob)).status))
    })

    it('use databases here with the rights of their owner', async function () {
      if (process.env.TEST_URL !== undefined) return this.skip() // CouchDB takes no names of databases
      await put(`/${source.name}/_security`, { members: { names: [bob.name] }, admins: { roles: ['_admin'] } })
      await put(`/${target.name}/_security`, { members: { names: [bob.name, carl.name] }, admins: { roles: ['_admin'] } })
      await write('hers', { source: source.name, target: target.name }, bob)
      const { body } = await told('hers', 'completed')
      // Design documents are not hers to write.
      assert.deepEqual([body._replication_stats.docs_written, body._replication_stats.doc_write_failures], [2, 1])
      await write('his', { source: source.name, target: target.name }, carl)
      const { body: crashed } = await inState('his', 'crashing')
      assert.match(crashed.info.error, /^forbidden/)
    })

    it('name no other user', async function () {
      if (process.env.TEST_URL !== undefined) return this.skip() // who is named there has nothing to use
      for (const context of [{ name: 'admin', roles: [] }, { name: bob.name, roles: ['_admin'] }, { roles: ['_admin'] }]) {
        assertRefused(await write('forged', { user_ctx: context }, bob), 403, 'forbidden')
      }
      await write('forged', { user_ctx: { name: bob.name, roles: [] }, source: source.name }, bob)
      const { body } = await get(path('forged'))
      const forged = { ...body, user_ctx: { name: null, roles: ['_admin'] } }
      const answer = await post(`${path()}/_bulk_docs`, { docs: [{ ...forged, _rev: '2-ff', _revisions: { start: 2, ids: ['ff', body._rev.slice(2)] } }], new_edits: false }, bob)
      assert.equal(answer.body[0].error, 'forbidden')
    })
  })
})
