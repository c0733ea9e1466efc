'use strict'

/**
 * Cases of PouchDB 4.0.3's tests that cannot pass any more, each with the change in PouchDB or
 * CouchDB since then that is the reason. Without a title: the whole suite. A pattern for the suite
 * names the same case on several kinds of database.
 *
 * @type {Array<{ suite: string | RegExp, title?: string, adapters?: string[], reason: string }>}
 */
const skipped = [
  ...['Measures length correctly after put()', '#2771 allDocs() 1, single attachment', 'putAttachment and getAttachment with plaintext'].map((title) => ({
    suite: 'suite2 test.attachments.js-http',
    title,
    reason: 'text is compressed, as by CouchDB, and the digest is that of CouchDB\'s zlib, which finds shorter matches than Node.js\'s'
  })),
  {
    suite: 'test.persisted.js-http',
    title: 'should query correctly when stale',
    reason: 'it gives the index 5 ms to be built in the background, which a write that waits for its disk may take'
  },
  {
    suite: 'constructor errors',
    reason: 'PouchDB 6: the constructor throws on bad arguments, it has no callback to answer'
  },
  {
    suite: /^test\.basics\.js/,
    title: 'Catch an error when creating a pouch with a promise',
    reason: 'PouchDB 6: the constructor throws on bad arguments, it is no promise'
  },
  {
    suite: /^test\.basics\.js/,
    title: 'Error works',
    reason: 'PouchDB 6: errors are made by pouchdb-errors, PouchDB.Errors.error is gone'
  },
  {
    suite: /^test\.changes\.js/,
    title: 'supports returnDocs=false',
    reason: 'PouchDB 6: returnDocs is gone, the option is return_docs'
  },
  {
    suite: 'defaults',
    title: 'should allow us to use memdown by default',
    adapters: ['memory-level'],
    reason: 'tells the database in memory from the one that is not by its number of documents; here it is one'
  },
  {
    suite: 'defaults',
    title: 'should inform us when using memdown',
    reason: 'info has no backend_adapter: no adapter here is chosen by the option db'
  },
  {
    suite: 'Remove DB',
    reason: 'looks for files where PouchDB 4 put LevelDB: below PouchDB.prefix'
  },
  {
    suite: /test\.replication\.js/,
    title: 'Replication notifications',
    reason: 'PouchDB 5: a replication emits change once a batch, not once a document'
  },
  {
    suite: /^test\.changes\.js/,
    title: 'CRUD events are handled correclty',
    reason: 'PouchDB 6: changes emits no create, update and delete events'
  },
  ...['UUID RFC4122 test', 'Test custom length, redix'].map((title) => ({
    suite: 'test.uuid.js',
    title,
    reason: 'PouchDB 6: PouchDB.utils is gone, and with it uuids of other forms'
  })),
  {
    suite: /^test\.retry\.js/,
    title: 'retry stuff',
    reason: 'PouchDB 5: a replication reads by bulkGet; this makes allDocs fail'
  },
  ...[
    'source doesn\'t leak "destroyed" event',
    'target doesn\'t leak "destroyed" event',
    ...['complete', 'error', 'active', 'change', 'cancel'].map((event) => `returnValue doesn't leak "${event}" event`),
    'returnValue doesn\'t leak "change" event w/ onChange'
  ].map((title) => ({
    suite: /^test\.retry\.js-(?!local-http$)/,
    title,
    reason: 'PouchDB 5: a replication reads by bulkGet, with a callback; this makes get fail without calling it back'
  })),
  ...['returnValue doesn\'t leak "paused" event', 'retry many times, no leaks on any events'].map((title) => ({
    suite: /^test\.retry\.js/,
    title,
    reason: 'PouchDB 5: the same; and where it is a server\'s get that fails, a replication reads its checkpoint by it, and listens for paused again'
  })),
  {
    suite: /^test\.mapreduce\.js-local/,
    title: 'Testing query with keys',
    reason: 'PouchDB 7: query leaves limit: 0 in the caller\'s options after keys: [], and the options are used again'
  },
  ...['in promise', 'in promise catch()', 'in error listener', 'in callback'].map((where) => ({
    suite: /^test\.sync\.js/,
    title: `sync throws errors ${where}`,
    reason: 'PouchDB 5: a replication reads by bulkGet; this makes allDocs fail'
  })),
  {
    suite: /^test\.sync\.js/,
    title: 'Test syncing two endpoints (issue 838)',
    reason: 'PouchDB 5: db.replicate.sync is gone, it is db.sync'
  },
  {
    suite: /^test\.sync\.js/,
    title: 'Syncing should stop if one replication fails (issue 838)',
    reason: 'PouchDB 5: a replication emits no change for documents that the other side has already'
  },
  {
    suite: 'test.mapreduce.js-http-temp',
    reason: 'CouchDB 2: temporary views are gone'
  },
  {
    suite: 'test.mapreduce.js-http-persisted',
    title: 'Query result should include _conflicts',
    reason: 'CouchDB 2: temporary views are gone'
  },
  {
    suite: 'test.changes.js-http',
    title: 'Changes with invalid ddoc with no filter function',
    reason: 'CouchDB 2: a view without a map function is refused when it is written'
  },
  {
    suite: 'test.mapreduce.js-http-persisted',
    title: 'should query correctly after replicating and other ddoc',
    reason: 'CouchDB 2: its design document has a text in the place of a view, which is refused when it is written'
  },
  {
    suite: 'test.basics.js-http',
    title: 'Doc validation',
    reason: 'CouchDB 2: doc_validation has status 400, not 500'
  },
  ...[
    ['test.basics.js-http', 'Testing valid id'],
    ['test.bulk_docs.js-http', '656 regression in handling deleted docs'],
    ['test.changes.js-http', 'Changes with filter not present in ddoc'],
    ['test.changes.js-http', 'Changes with `filters` key not present in ddoc'],
    ['test.changes.js-http', 'Changes with view not present in ddoc'],
    ['test.changes.js-http', 'Changes with `views` key not present in ddoc'],
    ['test.changes.js-http', 'Changes with missing param `view` in request'],
    ['test.get.js-http', 'Check error of deleted document']
  ].map(([suite, title]) => ({
    suite,
    title,
    reason: 'PouchDB 6: an error from a server keeps the server\'s words, it is not worded anew'
  })),
  {
    suite: 'test.get.js-http',
    title: 'Testing get with open_revs with wrong params',
    reason: 'CouchDB 2: a list of revisions that is none is a bad_request, not a function_clause'
  },
  {
    suite: 'test.http.js',
    title: 'Create a pouch without DB setup',
    reason: 'PouchDB 6: the option is skip_setup, not skipSetup'
  },
  ...['Forbidden', 'Unauthorized'].map((kind) => ({
    suite: /test\.replication\.js-(local|http)-http/,
    title: `#3171 ${kind} validate_doc_update error message`,
    reason: 'PouchDB 6: an error from a server keeps the server\'s words, and _bulk_docs gives no status'
  })),
  ...['Issue 1269 redundant _changes requests', 'Allows the "ajax timeout" to extend "changes timeout"'].map((title) => ({
    suite: 'test.http.js',
    title,
    reason: 'PouchDB 7: requests are made by fetch, so PouchDB.utils.ajax sees none'
  })),
  ...['getUrl() works (used by plugins)', 'getHeaders() works (used by plugins)'].map((title) => ({
    suite: 'test.http.js',
    title,
    reason: 'PouchDB 7: plugins use db.fetch, these are gone'
  })),
  {
    suite: 'replication-http-errors:',
    reason: 'PouchDB 7: a replication keeps its state in db.activeTasks, which the databases made up here lack'
  },
  ...['$elemMatch works with no other index', 'handles just regex selector'].map((title) => ({
    suite: 'local test suite 1',
    title,
    reason: 'pouchdb-find 9: no warning where the selector has no field that an index could be of'
  })),
  {
    suite: 'local test suite 1',
    title: 'should include ddocs in _id results',
    reason: 'pouchdb-find 9: design documents are never found'
  },
  ...[
    'should return error for non-integer divisor', 'should return error for non-integer modulus', 'should return error for zero divisor',
    'throws error for unmatched type'
  ].map((title) => ({
    suite: 'local test suite 1',
    title,
    reason: 'pouchdb-find 9: errors of selectors are worded anew'
  }))
]

/** Files that cannot even be loaded. */
const skippedFiles = new Map([
  ['test.migration.js', 'opens LevelDB files of PouchDB 1 to 3, and needs packages to copy them']
])

module.exports = { skipped, skippedFiles }
