'use strict'

const assert = require('node:assert/strict')
const fc = require('fast-check')
const { serve } = require('..')
const { Histogram } = require('../lib/stats/histogram')
const { numberOf } = require('../lib/stats/metrics')
const { Statistics } = require('../lib/stats/statistics')

describe('statistics', () => {
  it('tell of values about what they are', () => {
    fc.assert(fc.property(fc.array(fc.double({ min: 0.01, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 300 }), values => {
      const histogram = new Histogram()
      for (const value of values) histogram.note(value, 100)
      const sorted = [...values].sort((a, b) => a - b)
      const summary = Histogram.summary([histogram], 100)
      assert.equal(summary.n, values.length)
      assert.equal(summary.min, sorted[0])
      assert.equal(summary.max, sorted.at(-1))
      const near = (told, value) => assert.ok(Math.abs(told - value) <= 0.06 * value, `${told} is not about ${value}`)
      near(summary.median, sorted[Math.ceil(values.length / 2) - 1])
      near(summary.percentile[4][1], sorted[Math.ceil(values.length * 0.99) - 1])
      near(summary.arithmetic_mean, values.reduce((sum, value) => sum + value / values.length, 0))
      assert.equal(histogram.count, values.length)
    }))
  })

  it('forget what is older than ten seconds, but for its number', () => {
    const histogram = new Histogram()
    histogram.note(5, 100)
    histogram.note(7, 105)
    assert.equal(Histogram.summary([histogram], 109).n, 2)
    assert.equal(Histogram.summary([histogram], 112).n, 1)
    assert.equal(Histogram.summary([histogram], 120).n, 0)
    histogram.note(1, 111)
    assert.deepEqual([histogram.count, histogram.sum], [3, 13])
    assert.equal(Histogram.summary([histogram], 112).n, 2)
  })

  it('take any number', () => {
    const histogram = new Histogram()
    for (const value of [0, 1e-12, 1e300]) histogram.note(value, 1)
    const { n, min, max } = Histogram.summary([histogram], 1)
    assert.deepEqual([n, min, max], [3, 0, 1e300])
  })

  it('of threads add up', () => {
    const one = new Statistics()
    const other = new Statistics(new Statistics().memory)
    const number = numberOf('couchdb.commits')
    one.count(number)
    other.count(number, 2)
    one.note(numberOf('couchdb.dbinfo'), 4)
    other.note(numberOf('couchdb.dbinfo'), 8)
    const values = Statistics.read([one, new Statistics(other.memory)])
    assert.equal(values.get('couchdb.commits'), 3)
    const { n, min, max } = /** @type {any} */ (values.get('couchdb.dbinfo'))
    assert.deepEqual([n, min, max], [2, 4, 8])
  })

  it('are at a port of their own where that is configured', async () => {
    const config = { prometheus: { additional_port: true, port: 0 }, chttpd_auth: { iterations: 10 } }
    const server = await serve({ storage: 'memory', port: 0, admins: { anna: 'secret' }, config })
    try {
      const response = await fetch(`${server.metricsUrl}/_node/_local/_prometheus`)
      assert.equal(response.status, 200)
      assert.match(await response.text(), /^couchdb_httpd_requests_total \d+$/m)
      assert.equal((await fetch(`${server.metricsUrl}/_all_dbs`)).status, 404)
      assert.equal((await fetch(`${server.metricsUrl}/_node/_local/_prometheus`, { method: 'PUT' })).status, 405)
    } finally {
      await server.close()
    }
    await assert.rejects(fetch(`${server.metricsUrl}/_node/_local/_prometheus`))
  })
})
