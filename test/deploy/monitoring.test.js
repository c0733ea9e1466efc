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
    server = await serve({ path: data, storage: 'pmem', allowVolatile: true, port: 0, admins: { anna: 'secret' }, config: { prometheus: { additional_port: true, port: 0 }, chttpd_auth: { iterations: 100 }, replicator: { retries_per_request: 1, startup_jitter: 0 } } })
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

  it('counts a replication that crashes as one', async () => {
    const Authorization = `Basic ${btoa('anna:secret')}`
    const doc = { source: 'http://127.0.0.1:1/none', target: `${server.url}/copy`, continuous: true }
    const response = await fetch(`${server.url}/_replicator/crashing`, { method: 'PUT', headers: { Authorization, 'Content-Type': 'application/json' }, body: JSON.stringify(doc) })
    assert.equal(response.status, 201)
    let text = ''
    while (!/^couchdb_couch_replicator_jobs_crashed 1$/m.test(text)) text = await (await fetch(`${server.metricsUrl}/_node/_local/_prometheus`)).text()
    assert.match(text, /^couchdb_couch_replicator_jobs_total 1$/m)
    assert.match(text, /^couchdb_couch_replicator_jobs_running 0$/m)
  })
})
