'use strict'

/** @param {string} text */
const anyMethod = text => ({ GET: text, POST: text, PUT: text, DELETE: text, COPY: text })

/** Rows that three paths give: see lists of documents below. @param {string} what */
const list = what => ({
  '': { GET: `Lists ${what}`, POST: `Lists ${what}, with \`keys\` or with parameters in the body` },
  '/queries': { POST: `Answers several queries of ${what}` }
})

/** @param {string} path @param {string} what */
const lists = (path, what) => Object.fromEntries(Object.entries(list(what)).map(([end, methods]) => [path + end, methods]))

/**
 * A sentence for each route of the reference: path → method → text. Routes that only refuse are in
 * REFUSALS. A test fails if a route is in neither.
 *
 * @type {Record<string, Record<string, string>>}
 */
const SUMMARIES = {
  '/': { GET: 'Says the version, the uuid and the features of the server; a page where browsers open it' },
  '/_up': { GET: 'Says whether the server can take requests: 200, 404 in maintenance, 503 where it cannot write' },
  '/_uuids': { GET: 'Makes ids for documents' },
  '/_utils': { GET: 'Redirects to Fauxton' },
  '/_utils/:path+': { GET: 'Sends the files of Fauxton' },
  '/favicon.ico': { GET: 'Answers 204' },
  '/_session': { GET: 'Says who asks', POST: 'Logs in: answers a cookie for a name and a password', DELETE: 'Logs out' },
  '/_all_dbs': { GET: 'Lists the names of databases' },
  '/_dbs_info': { GET: 'Describes all databases', POST: 'Describes the databases in `keys`' },
  '/_db_updates': { GET: 'Sends changes of databases, as a feed if asked for' },
  '/_active_tasks': { GET: 'Lists compactions, replications, index builds and scrubs that run' },
  '/_membership': { GET: 'Lists the nodes: this one' },
  '/_replicate': { POST: 'Starts, or cancels, a replication' },
  '/_scheduler/jobs': { GET: 'Lists the replications that run or wait' },
  '/_scheduler/jobs/:job': { GET: 'Describes a replication that runs or waits' },
  '/_scheduler/docs': { GET: 'Lists the documents of `_replicator` with their states' },
  '/_scheduler/docs/:path+': { GET: 'Lists the documents of a replicator database, or describes one' },
  '/_backup': { GET: 'Sends a backup of all databases and of the configuration' },
  '/_scrub': { GET: 'Says how far the scrub is and what it has found', POST: 'Reads all of the pool now and verifies its checksums' },
  '/_shrink': { POST: 'Gives the disk back what the pool does not need' },
  '/_reload_query_servers': { POST: 'Starts the threads of design functions again' },
  '/_cluster_setup': { GET: 'Says that the node is set up', POST: 'Sets up a single node' },
  '/_reshard': { GET: 'Says that no resharding runs' },
  '/_reshard/state': { GET: 'Says the state of resharding', PUT: 'Sets the state of resharding' },
  '/_reshard/jobs': { GET: 'Lists the jobs of resharding: none', POST: 'Refuses to reshard' },
  '/_node/:node': anyMethod('Says the name of the node'),
  '/_node/:node/_config': { GET: 'Lists all settings' },
  '/_node/:node/_config/:section': { GET: 'Lists the settings of a section' },
  '/_node/:node/_config/:section/:key': { GET: 'Reads a setting', PUT: 'Changes a setting and answers the old value', DELETE: 'Removes a setting and answers the old value' },
  '/_node/:node/_config/_reload': { POST: 'Reads the ini file again' },
  '/_node/:node/_system': { GET: 'Says figures of the process and the promise of the storage' },
  '/_node/:node/_versions': { GET: 'Says versions of the parts' },
  '/_node/:node/_smoosh/status': { GET: 'Says that no automatic compaction runs' },
  '/_node/:node/_restart': { POST: 'Starts the server again in its process' },
  '/_node/:node/_stats': { GET: 'Lists all counters' },
  '/_node/:node/_stats/:path+': { GET: 'Lists the counters below a path' },
  '/_node/:node/_prometheus': { GET: 'Sends the counters for Prometheus' },
  '/:db': { GET: 'Describes a database', PUT: 'Makes a database', DELETE: 'Deletes a database', POST: 'Writes a document, with a new id if it has none' },
  ...lists('/:db/_all_docs', 'documents'),
  ...lists('/:db/_design_docs', 'design documents'),
  ...lists('/:db/_local_docs', 'local documents'),
  '/:db/_bulk_docs': { POST: 'Writes several documents' },
  '/:db/_bulk_get': { POST: 'Reads several revisions of documents' },
  '/:db/_changes': { GET: 'Sends changes, as a feed if asked for, to a WebSocket too', POST: 'Sends changes, with `doc_ids`, a selector or fields in the body' },
  '/:db/_find': { GET: 'Sends documents that a Mango selector finds, and what becomes of the result, to an EventSource or a WebSocket', POST: 'Finds documents by a Mango selector; with `feed` it goes on, and sends what enters, changes and leaves' },
  '/:db/_explain': { POST: 'Says how `_find` would find' },
  '/:db/_query': { GET: 'Answers a JSONQuery over all documents', POST: 'Answers a JSONQuery over all documents' },
  '/:db/_index': { GET: 'Lists Mango indexes', POST: 'Makes a Mango index' },
  '/:db/_index/_bulk_delete': { POST: 'Deletes the indexes of several design documents' },
  '/:db/_index/:design/:type/:name': { DELETE: 'Deletes a Mango index' },
  '/:db/_index/_design/:design/:type/:name': { DELETE: 'Deletes a Mango index' },
  '/:db/:ddoc/_rpc': { POST: 'Calls functions of the design document by JSON-RPC 2.0, each in a transaction' },
  '/:db/_transact': { POST: 'Writes several documents if others are as they were read, or nothing' },
  '/:db/_schema': { GET: 'Lists the schemas that documents have to fit' },
  '/:db/_schema/:schema': { GET: 'Reads a schema and its selector', PUT: 'Sets a schema, and a selector of the documents that have to fit it', DELETE: 'Removes a schema' },
  '/:db/_adaptive_indexes': { GET: 'Shows which indexes the database has learned', PUT: 'Turns adaptive indexes on, off, or back to the setting' },
  '/:db/_history': { GET: 'Says what is kept of earlier versions of documents', PUT: 'Sets how long, and how many, earlier versions of documents are kept', DELETE: 'Keeps no earlier versions from here on' },
  '/:db/_restore': { POST: 'Makes documents what they were at a moment, as new revisions' },
  '/:db/:doc/_history': { GET: 'Lists the versions of a document: who, when, and what changed' },
  '/:db/_revs_diff': { POST: 'Says which of the given revisions are missing' },
  '/:db/_missing_revs': { POST: 'Says which of the given revisions are missing, without ancestors' },
  '/:db/_purge': { POST: 'Removes revisions without a trace in the history' },
  '/:db/_purged_infos': { GET: 'Lists what was purged' },
  '/:db/_purged_infos_limit': { GET: 'Says how many purges are remembered', PUT: 'Sets how many purges are remembered' },
  '/:db/_compact': { POST: 'Removes the bodies of superseded revisions' },
  '/:db/_compact/:name': { POST: 'Compacts the indexes of a design document' },
  '/:db/_view_cleanup': { POST: 'Removes indexes that no design document has' },
  '/:db/_ensure_full_commit': { POST: 'Answers 201: acknowledged writes are durable already' },
  '/:db/_revs_limit': { GET: 'Says how many revisions of a document are remembered', PUT: 'Sets how many revisions of a document are remembered' },
  '/:db/_security': { GET: 'Reads the admins and members of a database', PUT: 'Sets the admins and members of a database' },
  '/:db/_shards': { GET: 'Says where the one shard is' },
  '/:db/_shards/:doc': { GET: 'Says in which shard a document is' },
  '/:db/_sync_shards': { POST: 'Answers 202: there is one copy' },
  '/:db/:doc': { GET: 'Reads a document', PUT: 'Writes a document', DELETE: 'Deletes a document', COPY: 'Copies a document to the id in `Destination`', POST: 'Takes attachments from a form of a web page' },
  '/:db/:doc/:attachment+': { GET: 'Reads an attachment, or a range of it', PUT: 'Writes an attachment', DELETE: 'Deletes an attachment' },
  '/:db/:local': { GET: 'Reads a local document', PUT: 'Writes a local document', DELETE: 'Deletes a local document', COPY: 'Copies a local document' },
  '/:db/:ddoc/_info': { GET: 'Describes the indexes of a design document' },
  '/:db/:ddoc/_view/:view': { GET: 'Reads a view', POST: 'Reads a view, with `keys` or with parameters in the body' },
  '/:db/:ddoc/_view/:view/queries': { POST: 'Answers several queries of a view' },
  '/:db/:ddoc/_list/:name/:view': { ...anyMethod('Formats the rows of a view by a list function'), OPTIONS: 'Formats the rows of a view by a list function' },
  '/:db/:ddoc/_list/:name/:other/:view': { ...anyMethod("Formats the rows of another design document's view by a list function"), OPTIONS: "Formats the rows of another design document's view by a list function" },
  '/:db/:ddoc/_show/:name': { ...anyMethod('Formats no document by a show function'), OPTIONS: 'Formats no document by a show function' },
  '/:db/:ddoc/_show/:name/:id+': { ...anyMethod('Formats a document by a show function'), OPTIONS: 'Formats a document by a show function' },
  '/:db/:ddoc/_update/:name': anyMethod('Runs an update function, which may make a document'),
  '/:db/:ddoc/_update/:name/:id+': anyMethod('Runs an update function on a document'),
  '/:db/:ddoc/_rewrite': anyMethod('Answers as the request that `rewrites` makes of this one'),
  '/:db/:ddoc/_rewrite/:path+': anyMethod('Answers as the request that `rewrites` makes of this one'),
  '/:db/:ddoc/_search/:index': { GET: 'Searches by text', POST: 'Searches by text, with parameters in the body' },
  '/:db/:ddoc/_search_info/:index': { GET: 'Describes a text index' },
  '/:db/:ddoc/_search_disk_size/:index': { GET: 'Says how many bytes a text index has' },
  '/:db/_search_cleanup': { POST: 'Drops text indexes that no design document asks for' },
  '/:db/:ddoc/_nouveau/:index': { GET: 'Searches by text, as Nouveau does', POST: 'Searches by text, as Nouveau does, with parameters in the body' },
  '/:db/:ddoc/_nouveau_info/:index': { GET: 'Describes a text index of Nouveau' },
  '/:db/_nouveau_cleanup': { POST: 'Drops text indexes of Nouveau that no design document asks for' },
  '/_search_analyze': { GET: 'Shows the terms that an analyzer makes of a text', POST: 'Shows the terms that an analyzer makes of a text' },
  '/_nouveau_analyze': { POST: "Shows the terms that Nouveau's analyzer makes of a text" },
  '/:db/_partition/:partition/:ddoc/_search/:index': { GET: 'Searches a partition by text', POST: 'Searches a partition by text, with parameters in the body' },
  '/:db/_partition/:partition/:ddoc/_nouveau/:index': { GET: 'Searches a partition by text, as Nouveau does', POST: 'Searches a partition by text, as Nouveau does, with parameters in the body' },
  '/:db/_partition/:partition': { GET: 'Describes a partition' },
  ...lists('/:db/_partition/:partition/_all_docs', 'documents of a partition'),
  '/:db/_partition/:partition/_find': { GET: 'Sends documents of a partition that a Mango selector finds, and what becomes of the result, to an EventSource', POST: 'Finds documents of a partition by a Mango selector' },
  '/:db/_partition/:partition/_explain': { POST: 'Says how `_find` would find in a partition' },
  '/:db/_partition/:partition/_index': { GET: 'Lists Mango indexes', POST: 'Makes a Mango index' },
  '/:db/_partition/:partition/:ddoc/_info': { GET: 'Describes the indexes of a design document' },
  '/:db/_partition/:partition/:ddoc/_view/:view': { GET: 'Reads a view of a partition', POST: 'Reads a view of a partition, with `keys` or with parameters in the body' },
  '/:db/_partition/:partition/:ddoc/_view/:view/queries': { POST: 'Answers several queries of a view of a partition' }
}

/** Paths that answer an error to whoever may ask, in CouchDB's words. */
const REFUSALS = new Set([
  '/_node', '/_scheduler', '/_scheduler/:rest+', '/_reshard/jobs/:job', '/_reshard/jobs/:job/state',
  '/:db/_find/:rest+', '/:db/_explain/:rest+', '/:db/_index/:rest+', '/:db/:ddoc/_list', '/:db/:ddoc/_list/:name',
  '/:db/:ddoc/_list/:name/:other/:view/:rest+', '/:db/:local/:attachment+', '/:db/_local', '/:db/_local%2F', '/:db/_partition',
  '/:db/_partition/:partition/:path+', '/:db/_partition/:partition/:ddoc/_view/:view/:rest+', '/:db/:ddoc/_show',
  '/:db/:ddoc/_update', '/:db/:ddoc/_view', '/:db/:ddoc/_view/:view/:rest+', '/:db/_temp_view'
])

module.exports = { REFUSALS, SUMMARIES }
