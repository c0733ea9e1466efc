'use strict'

const { readBanner } = require('./banner')

/** Features that clients of CouchDB look for; 'replication-feed' is ours: see changes/replication-feed.js. */
const FEATURES = Object.freeze(['quickjs', 'partitioned', 'scheduler', 'search', 'nouveau', 'replication-feed'])

/** The answer to `GET /`. @param {any} service */
function welcomeOf ({ config }) {
  const { couchdb, version } = readBanner()
  return {
    couchdb: 'Welcome',
    version: couchdb,
    git_sha: version,
    uuid: config.get('couchdb', 'uuid'),
    features: FEATURES,
    vendor: { ...config.texts('vendor'), version }
  }
}

module.exports = { welcomeOf }
