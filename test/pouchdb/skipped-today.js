'use strict'

/**
 * Cases of PouchDB's tests of today that cannot pass here, each with its reason. Form as in
 * skipped.js.
 *
 * @type {Array<{ suite: string | RegExp, title?: string, adapters?: string[], reason: string }>}
 */
const skipped = [
  ...['Measures length correctly after put()', '#2771 allDocs() 1, single attachment', 'putAttachment and getAttachment with plaintext'].map((title) => ({
    suite: 'suite2 test.attachments.js-http',
    title,
    adapters: ['http'],
    reason: 'text is compressed, as by CouchDB, and the digest is that of CouchDB\'s zlib, which finds shorter matches than Node.js\'s'
  })),
  ...['should allow us to use memdown', 'should allow us to use memdown by default'].map((title) => ({
    suite: 'defaults',
    title,
    reason: 'the option db chooses what LevelDB\'s adapter stands on; no other adapter knows it'
  })),
  ...['should inform us when using memdown', 'should be transitive (#5922)'].map((title) => ({
    suite: 'defaults',
    title,
    reason: 'info has a backend_adapter in LevelDB\'s adapter alone'
  })),
  ...['fails gracefully in first API call', 'fails gracefully in first changes() call', 'fails for all API calls'].map((title) => ({
    suite: 'test.failures.js',
    title,
    reason: 'names a path whose folders do not exist, which LevelDB\'s adapter cannot make; other adapters make them'
  })),
  {
    suite: 'node test.prefix.js',
    adapters: ['memory-level'],
    reason: 'looks for a folder'
  },
  {
    suite: 'test.issue915.js',
    reason: 'writes into the folder before anything waited for it to be made, which LevelDB does at once'
  },
  {
    suite: 'suite2 test.compaction.js-local',
    title: '#8525 - Only compact document with seq > last_seq',
    reason: 'forges the record in which PouchDB\'s own compaction remembers how far it came; here compaction reads only what it has to drop'
  },
  {
    suite: /^test\.changes\.js/,
    title: 'Changes accepts "_design" as filter property',
    reason: 'newer than PouchDB 9.0.0, and not of the adapter: pouchdb-changes-filter'
  }
]

/** Files that cannot even be loaded. */
const skippedFiles = new Map()

module.exports = { skipped, skippedFiles }
