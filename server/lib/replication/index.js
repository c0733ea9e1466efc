'use strict'

const { Replicator } = require('@potoroo/replicator')
const { readBanner } = require('../banner')
const { localDatabases } = require('./local-databases')
const { replicatorSettings } = require('./settings')

/**
 * The replicator of a server.
 * @param {import('../service').Service} service
 */
function createReplicator (service) {
  const { config, log, replicatorDatabases } = service
  const replicator = new Replicator({
    databases: localDatabases(service),
    settings: replicatorSettings(config),
    uuid: () => config.get('couchdb', 'uuid'),
    userOf: doc => replicatorDatabases.userOf(doc),
    updateDocument: (...args) => replicatorDatabases.updateDocument(...args),
    log: (level, message) => log.quote(level, message),
    agentName: `CouchDB-Replicator/${readBanner().couchdb}`
  })
  config.on('change', section => { if (section === 'replicator') replicator.reschedule().catch(error => log.line('error', error.stack)) })
  return replicator
}

module.exports = { createReplicator }
