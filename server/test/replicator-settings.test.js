'use strict'

const assert = require('node:assert/strict')
const { defaults } = require('@potoroo/replicator')
const { Config } = require('../lib/config/config')
const { replicatorSettings } = require('../lib/replication/replicator-settings')

describe('settings of the replicator', () => {
  const read = values => replicatorSettings(new Config(null, { replicator: values }))()

  it('are as by default where they cannot be taken', () => {
    assert.deepEqual(read({ interval: 'infinity', retries_per_request: 'infinity', worker_processes: '1.5', http_connections: 'x', max_history: '-1' }), defaults)
  })

  it('are taken where they can be', () => {
    const { max_jobs: jobs, interval, valid_endpoint_protocols: protocols, cert_file: file } = read({ max_jobs: 'infinity', interval: '5', valid_endpoint_protocols: 'https, http', cert_file: '' })
    assert.deepEqual([jobs, interval, protocols, file], [Infinity, 5, ['https', 'http'], undefined])
  })
})
