'use strict'

const assert = require('node:assert/strict')
const { TestDatabase } = require('./support/database')
const { assertRefused } = require('./support/refusal')
const { get, post, put, remove } = require('./support/request')

const ours = process.env.TEST_URL === undefined
const anonymous = { headers: { Authorization: '' } }

describe('a cluster of one', () => {
  const db = new TestDatabase()

  it('is set up', async () => {
    assert.deepEqual((await get('/_cluster_setup')).body, { state: 'single_node_enabled' })
    const answer = await post('/_cluster_setup', { action: 'finish_cluster', ensure_dbs_exist: ['_users'] })
    // CouchDB counts the cluster as finished where the databases are there.
    if (answer.status !== 400) assert.deepEqual([answer.status, answer.body], [201, { ok: true }])
    assertRefused(await post('/_cluster_setup', { action: 'no such action' }), 400, 'bad_request', 'Invalid Action\'')
    assertRefused(await get('/_cluster_setup', anonymous), 401, 'unauthorized')
    assertRefused(await put('/_cluster_setup', {}), 405, 'method_not_allowed', 'Only GET,POST allowed')
  })

  it('calls its node as an Erlang would', async () => {
    const { all_nodes: all, cluster_nodes: cluster } = (await get('/_membership')).body
    assert.deepEqual(all, cluster)
    assert.match(all[0], /^[a-z]+@[a-z0-9.]+$/)
    assert.equal(all.length, 1)
    assert.deepEqual((await get('/_node/_local')).body, { name: all[0] })
    const { features, uuid } = (await get('/')).body
    const named = await get(`/_node/${all[0]}`)
    assert.deepEqual([named.body.couchdb, named.body.features, named.body.uuid], ['Welcome', features, uuid])
    assertRefused(await post(`/_node/${all[0]}`, {}), 405, 'method_not_allowed', 'Only GET,HEAD allowed')
    for (const name of ['_local', all[0], encodeURIComponent(all[0])]) {
      assert.equal((await get(`/_node/${name}/_config/chttpd`)).status, 200)
      assert.equal((await get(`/_node/${name}/_stats/couchdb/httpd/requests`)).body.type, 'counter')
    }
    assertRefused(await get('/_node/other@nohost/_config'), 404, 'not_found', 'no such node: other@nohost')
  })

  it('has the features that it says it has', async function () {
    // CouchDB would reshard.
    if (!ours) this.skip()
    const { features } = (await get('/')).body
    const name = `/${db.name}-partitioned`
    assert.equal(features.includes('partitioned'), (await put(`${name}?partitioned=true`)).status === 201)
    await remove(name)
    assert.equal(features.includes('scheduler'), (await get('/_scheduler/jobs')).status === 200)
    assert.equal(features.includes('reshard'), (await post('/_reshard/jobs', { type: 'split', db: db.name })).status !== 501)
    assert.equal(features.includes('quickjs'), (await get('/_node/_local/_versions')).body.javascript_engine.name === 'quickjs')
    for (const name of ['search', 'nouveau']) assert.equal(features.includes(name), (await get(`/${db.name}/_design/d/_${name}/i?q=a`)).body.error !== 'not_implemented', name)
  })

  it('has one shard of each database', async () => {
    const [node] = (await get('/_membership')).body.all_nodes
    assert.deepEqual((await get(`/${db.name}/_shards`)).body, { shards: { '00000000-ffffffff': [node] } })
    assert.deepEqual((await get(`/${db.name}/_shards/some-id`)).body, { range: '00000000-ffffffff', nodes: [node] })
    const answer = await post(`/${db.name}/_sync_shards`)
    assert.deepEqual([answer.status, answer.body], [202, { ok: true }])
    assertRefused(await post(`/${db.name}/_sync_shards`, undefined, anonymous), 401, 'unauthorized')
  })

  it('reshards nothing', async () => {
    assert.deepEqual((await get('/_reshard')).body, { state: 'running', state_reason: null, completed: 0, failed: 0, running: 0, stopped: 0, total: 0 })
    assert.deepEqual((await get('/_reshard/state')).body, { state: 'running', reason: null })
    assert.deepEqual((await get('/_reshard/jobs')).body, { total_rows: 0, offset: 0, jobs: [] })
    assertRefused(await get('/_reshard/jobs/none'), 404, 'not_found', 'missing')
    assertRefused(await remove('/_reshard/jobs/none'), 404, 'not_found', 'missing')
    assertRefused(await put('/_reshard/state', {}), 400, 'bad_request', 'Expected a `state` field')
    assertRefused(await post('/_reshard/jobs', { type: 'merge' }), 400, 'bad_request', '`job type must be `split`')
    assertRefused(await post('/_reshard/state', {}), 405, 'method_not_allowed', 'Only GET,HEAD,PUT allowed')
    assertRefused(await get('/_reshard', anonymous), 401, 'unauthorized')
  })

  it('checks what is to be split', async () => {
    const wrong = [[{ node: 'other@nohost' }, '`node` is not a valid node name'], [{ db: 'none' }, 'Invalid `db`'], [{ range: 'x' }, 'Invalid `range`'],
      [{ range: '80000000-00000000' }, 'Invalid `range`'], [{ shard: 'x' }, '`shard` is invalid'], [{ shard: 1 }, 'Invalid `shard`']]
    for (const [parameters, reason] of wrong) {
      assertRefused(await post('/_reshard/jobs', { type: 'split', ...parameters }), 400, 'bad_request', reason)
    }
  })

  it('says that resharding is stopped where somebody stopped it', async () => {
    assert.equal((await put('/_reshard/state', { state: 'stopped', reason: 'x' })).status, 200)
    try {
      assert.deepEqual((await get('/_reshard/state')).body, { state: 'stopped', reason: 'x' })
      const { state, state_reason: reason } = (await get('/_reshard')).body
      assert.deepEqual([state, reason], ['stopped', 'x'])
    } finally {
      await put('/_reshard/state', { state: 'running' })
    }
    assert.deepEqual((await get('/_reshard/state')).body, { state: 'running', reason: null })
  })

  it('tells what compacts by itself, and ends threads of functions', async () => {
    const { channels } = (await get('/_node/_local/_smoosh/status')).body
    assert.deepEqual(channels.ratio_dbs, { waiting: { size: 0, min: 0, max: 0 }, starting: 0, active: 0 })
    await db.put('_design/d', { views: { v: { map: 'function (doc) { emit(doc._id) }' } } })
    await get(`/${db.name}/_design/d/_view/v`)
    assert.deepEqual((await post('/_reload_query_servers', '')).body, { ok: true })
    assert.equal((await get(`/${db.name}/_design/d/_view/v`)).status, 200)
    assertRefused(await get('/_reload_query_servers'), 405, 'method_not_allowed', 'Only POST allowed')
  })
})
