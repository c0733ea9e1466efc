'use strict'

const assert = require('node:assert/strict')
const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const yaml = require('js-yaml')
const { serve } = require('../../server')

const folder = path.join(__dirname, '../../deploy/monitoring')
const alerts = path.join(folder, 'alerts.yaml')

/** Names of metrics in an expression, with the labels that are asked of each. @param {string} expression */
function metricsIn (expression) {
  return [...expression.matchAll(/\b((?:couchdb|potoroo)_\w+)(?:\{([^}]*)\})?/g)].map(([, name, labels = '']) => ({ name, labels: [...labels.matchAll(/(\w+)\s*=~?/g)].map(([, label]) => label) }))
}

describe('what servers are monitored with', () => {
  let server, data, printed
  const rules = yaml.load(fs.readFileSync(alerts, 'utf8')).groups.flatMap(group => group.rules)
  const dashboard = JSON.parse(fs.readFileSync(path.join(folder, 'grafana.json'), 'utf8'))
  const targets = dashboard.panels.flatMap(panel => panel.targets.map(target => target.expr))

  before(async () => {
    data = fs.mkdtempSync(path.join(os.tmpdir(), 'potoroo-monitoring-'))
    server = await serve({ path: data, storage: 'pmem', allowVolatile: true, port: 0, admins: { anna: 'secret' }, config: { prometheus: { additional_port: true, port: 0 }, chttpd_auth: { iterations: 100 }, ken: { batch_channels: 0, incremental_channels: 0 }, replicator: { retries_per_request: 1, startup_jitter: 0 } } })
    printed = await (await fetch(`${server.metricsUrl}/_node/_local/_prometheus`)).text()
  })
  after(async () => {
    await server.close()
    fs.rmSync(data, { recursive: true })
  })

  /** Labels that Prometheus adds to each. */
  const ofPrometheus = ['instance', 'job']

  it('asks for metrics, and labels of them, that the server prints', () => {
    const series = new Map()
    for (const [, name, labels = ''] of printed.matchAll(/^([a-z]\w*)(?:\{(.*)\})? \S+$/gm)) {
      series.set(name, new Set([...series.get(name) ?? [], ...[...labels.matchAll(/(\w+)="/g)].map(([, label]) => label)]))
    }
    const used = [...rules.map(({ expr }) => expr), ...targets].flatMap(metricsIn)
    assert.ok(used.length > 25)
    const missing = used.filter(({ name, labels }) => !labels.every(label => ofPrometheus.includes(label) || series.get(name)?.has(label)) || !series.has(name))
    assert.deepEqual(missing, [])
  })

  it('prints the metrics of CouchDB 3.5 under its names, except for those that the page about it says', () => {
    const families = [...printed.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name)
    const theirs = fs.readFileSync(path.join(__dirname, 'couchdb-metrics.txt'), 'utf8').trim().split('\n')
    const page = fs.readFileSync(path.join(__dirname, '../../docs/how-to/monitor.md'), 'utf8')
    const rows = /\| not there \|.*\n.*\n((?:\|.*\n)+)/.exec(page)[1].split('\n').map(row => row.split(' | ')[0])
    const missing = rows.flatMap(row => [...row.matchAll(/`([^`]+)`/g)]).map(([, name]) => new RegExp(`^${name.replaceAll('*', '.*')}$`))
    const isSaid = name => missing.some(pattern => pattern.test(name))
    assert.deepEqual(theirs.filter(name => !families.includes(name) && !isSaid(name)), [])
    assert.deepEqual(families.filter(isSaid), [])
    assert.deepEqual(missing.filter(pattern => !theirs.some(name => pattern.test(name))), [])
  })

  it('has a summary and an action for each alert', () => {
    for (const { alert, annotations, labels } of rules) assert.ok(annotations.summary && annotations.action && /^(warning|critical)$/.test(labels.severity), alert)
  })

  it('has panels that lie beside each other, each with a name', () => {
    const taken = new Set()
    for (const { title, gridPos: { x, y, w, h } } of dashboard.panels) {
      assert.notEqual(title, '')
      for (let i = x; i < x + w; i++) for (let j = y; j < y + h; j++) assert.ok(i < 24 && taken.size < taken.add(`${i} ${j}`).size, title)
    }
  })

  it('is taken by Prometheus itself', function () {
    if (spawnSync('promtool', ['--version']).error) return this.skip()
    const rulesChecked = spawnSync('promtool', ['check', 'rules', alerts], { encoding: 'utf8' })
    assert.equal(rulesChecked.status, 0, rulesChecked.stderr)
    const checked = spawnSync('promtool', ['check', 'metrics'], { input: printed, encoding: 'utf8' })
    // It would have CouchDB's names otherwise; what it cannot read is another matter.
    assert.doesNotMatch(checked.stderr, /error|invalid|parsing/i)
    const tested = path.join(data, 'expressions.yaml')
    const resolved = targets.map(expr => expr.replaceAll('$instance', '.*'))
    fs.writeFileSync(tested, yaml.dump({ groups: [{ name: 'dashboard', rules: resolved.map((expr, index) => ({ record: `panel:${index}`, expr })) }] }))
    const panels = spawnSync('promtool', ['check', 'rules', tested], { encoding: 'utf8' })
    assert.equal(panels.status, 0, panels.stderr)
  })

  it('says how full the pool is, and whether it takes writes', () => {
    const value = name => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(printed)?.[1])
    assert.ok(value('potoroo_storage_used_bytes') > 0)
    assert.ok(value('potoroo_storage_size_bytes') >= value('potoroo_storage_used_bytes'))
    assert.equal(value('potoroo_storage_refuses_writes'), 0)
    assert.equal(value('couchdb_couch_replicator_jobs_total'), 0)
    assert.match(printed, /^couchdb_membership\{nodes="all_nodes"\} 1$/m)
  })

  it('counts what functions, finds, purges and replications do', async () => {
    const ask = async (method, path, body) => {
      const headers = { Authorization: `Basic ${btoa('anna:secret')}`, 'Content-Type': 'application/json' }
      return (await fetch(`${server.url}${path}`, { method, headers, body: body && JSON.stringify(body) })).json()
    }
    const read = async () => {
      const text = await (await fetch(`${server.metricsUrl}/_node/_local/_prometheus`)).text()
      return name => Number(new RegExp(`^couchdb_${name} (\\S+)$`, 'm').exec(text)[1])
    }
    const before = await read()
    await ask('PUT', '/counted')
    await ask('PUT', '/counted/_design/d', { shows: { s: 'function () { return { json: {} } }' }, views: { v: { map: 'function (doc) { emit(doc.n); emit(doc.n) }', reduce: 'function (keys, values) { return values.length }' } }, validate_doc_update: 'function (doc) { if (doc.bad) throw { forbidden: "bad" } }' })
    const { rev } = await ask('PUT', '/counted/one', { n: 1 })
    await ask('PUT', '/counted/two', { n: 2, bad: true })
    await ask('GET', '/counted/_design/d/_view/v')
    for (let n = 0; n < 3; n++) await ask('GET', '/counted/_design/d/_show/s')
    await ask('PUT', '/counted/_local/place', { at: 1 })
    await ask('POST', '/counted/_find', { selector: { n: 1 }, use_index: 'none' })
    await ask('POST', '/_replicate', { source: `${server.url.replace('://', '://anna:secret@')}/counted`, target: 'counted-copy', create_target: true })
    await ask('POST', '/counted/_purge', { one: [rev], none: ['1-a'] })
    const after = await read()
    const grew = name => after(name) - before(name)
    const exactly = {
      document_inserts_total: 4,
      ddoc_cache_requests_total: 3,
      ddoc_cache_requests_failures_total: 1,
      mrview_map_doc_total: 1,
      mrview_emits_total: 2,
      query_server_vdu_rejects_total: 1,
      local_document_writes_total: 2,
      mango_unindexed_queries_total: 1,
      mango_query_invalid_index_total: 1,
      database_purges_total: 1,
      document_purges_total: 2,
      document_purges_success_total: 1,
      document_purges_failure_total: 1,
      couch_replicator_jobs_adds_total: 1,
      couch_replicator_jobs_starts_total: 1,
      couch_replicator_jobs_removes_total: 1,
      couch_replicator_checkpoints_total: 1,
      couch_replicator_checkpoints_failure_total: 0,
      database_count: 2
    }
    assert.deepEqual(Object.fromEntries(Object.keys(exactly).map(name => [name, grew(name)])), exactly)
    for (const name of ['query_server_process_starts_total', 'query_server_calls_map_total', 'query_server_time_map_total', 'query_server_calls_reduce_total', 'query_server_calls_ddoc_vdu_total', 'couch_replicator_requests_total', 'couch_replicator_responses_total', 'auth_cache_requests_total', 'db_open_time_seconds_count']) assert.ok(grew(name) >= 1, name)
  })

  it('counts a replication that crashes as one', async () => {
    const Authorization = `Basic ${btoa('anna:secret')}`
    const doc = { source: 'http://127.0.0.1:1/none', target: `${server.url}/copy`, continuous: true }
    const response = await fetch(`${server.url}/_replicator/crashing`, { method: 'PUT', headers: { Authorization, 'Content-Type': 'application/json' }, body: JSON.stringify(doc) })
    assert.equal(response.status, 201)
    let text = ''
    while (!/^couchdb_couch_replicator_jobs_crashed 1$/m.test(text)) text = await (await fetch(`${server.metricsUrl}/_node/_local/_prometheus`)).text()
    assert.match(text, /^couchdb_couch_replicator_jobs_total 1$/m)
    assert.match(text, /^couchdb_couch_replicator_jobs_running 0$/m)
    assert.match(text, /^couchdb_couch_replicator_jobs_crashes_total [1-9]/m)
    assert.match(text, /^couchdb_couch_replicator_failed_starts_total [1-9]/m)
    assert.match(text, /^couchdb_couch_log_requests_total\{level="error"\} [1-9]/m)
  })
})
