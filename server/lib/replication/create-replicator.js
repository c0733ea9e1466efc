'use strict'

const { Replicator } = require('@potoroo/replicator')
const { readBanner } = require('../service/banner')
const { numberOf } = require('../stats/metrics')
const { localDatabases } = require('./local-databases')
const { peerHosts } = require('./peer-hosts')
const { replicatorSettings } = require('./replicator-settings')
const { shardedDatabases } = require('./sharded-databases')

/** Settings that change where what runs may be connected; null stands for all of them. */
const OF_HOSTS = new Set(['allowed_hosts', 'denied_hosts', null])

/**
 * The replicator of a server.
 * @param {import('../service/service').Service} service
 * @returns {Replicator}
 */
function createReplicator (service) {
  const { config, counts, log, replicatorDatabases, tracing } = service
  const replicator = new Replicator({
    databases: { ...localDatabases(service), ...shardedDatabases(service) },
    settings: replicatorSettings(config),
    uuid: () => config.get('couchdb', 'uuid'),
    userOf: doc => replicatorDatabases.userOf(doc),
    updateDocument: (...args) => replicatorDatabases.updateDocument(...args),
    log: (level, message) => log.quote(level, message),
    count: name => counts.count(numberOf(`couch_replicator.${name}`)),
    ...peerHosts(config, () => service.listening()),
    ...(tracing !== null && { tracing }),
    agentName: `CouchDB-Replicator/${readBanner().couchdb}`
  })
  config.on('change', (section, key) => {
    if (section !== 'replicator') return
    const applied = OF_HOSTS.has(key) ? replicator.reconnect() : replicator.reschedule()
    applied.catch(error => log.line('error', error.stack))
  })
  return replicator
}

module.exports = { createReplicator }
