'use strict'

const { path, text } = require('./picks')

/** A bookmark of a live query, of nobody. */
const NO_PLACE = 'a-0123456789abcdefghijkl'

/**
 * Questions to each route. A function gets Picks and returns what differs from a plain request: `path` after the path of the
 * route's constant beginning, `query`, `body`, `headers`. Nothing that is asked here changes a document: what does is in steps/.
 *
 * @typedef {import('./picks').Picks} Picks
 * @typedef {{ path: string, body?: any, headers?: Record<string, string> }} Question
 * @type {Record<string, (picks: Picks) => Question>}
 */
const questions = {
  'GET /:db': () => ({ path: '' }),
  'PUT /:db': () => ({ path: '' }),
  'DELETE /:db': () => ({ path: '' }),
  'GET /:db/_all_docs': c => ({ path: `/_all_docs${c.query(c.range)}` }),
  'POST /:db/_all_docs': c => ({ path: `/_all_docs${c.query({ include_docs: c.yes })}`, body: { keys: [c.id(), c.id()] } }),
  'POST /:db/_all_docs/queries': c => ({ path: '/_all_docs/queries', body: { queries: [{ keys: [c.id()], include_docs: true }, { limit: 3, include_docs: true, update_seq: true }] } }),
  'GET /:db/_design_docs': c => ({ path: `/_design_docs${c.query(c.range)}` }),
  'POST /:db/_design_docs': c => ({ path: '/_design_docs', body: { keys: [c.id(), c.id()], include_docs: true } }),
  'POST /:db/_design_docs/queries': () => ({ path: '/_design_docs/queries', body: { queries: [{ include_docs: true }, { limit: 1 }] } }),
  'GET /:db/_local_docs': c => ({ path: `/_local_docs${c.query(c.range)}` }),
  'POST /:db/_local_docs': () => ({ path: '/_local_docs', body: { keys: ['_local/shared', '_local/own'], include_docs: true } }),
  'POST /:db/_local_docs/queries': () => ({ path: '/_local_docs/queries', body: { queries: [{ include_docs: true }] } }),
  'GET /:db/_changes': c => ({ path: `/_changes${c.query(c.changes)}` }),
  'POST /:db/_changes': c => ({ path: '/_changes' + c.chance.one([`?filter=_doc_ids${more(c)}`, `?filter=_selector${more(c)}`, '']), body: { doc_ids: [c.id(), c.id()], selector: {} } }),
  'POST /:db/_bulk_get': c => ({ path: `/_bulk_get${c.query({ revs: c.yes, attachments: c.yes, latest: c.yes })}`, body: { docs: [0, 1, 2].map(() => wanted(c)) } }),
  'POST /:db/_revs_diff': c => ({ path: '/_revs_diff', body: revisions(c) }),
  'POST /:db/_missing_revs': c => ({ path: '/_missing_revs', body: revisions(c) }),
  'GET /:db/:doc': c => {
    const document = c.document()
    const query = c.chance.happens(0.4) ? `?rev=${encodeURIComponent(c.rev(document))}` : c.query(c.single(document))
    return { path: `/${path(document.id)}${query}` }
  },
  'GET /:db/:doc/:attachment+': c => ({ path: c.attachmentPath(), headers: c.chance.one([{}, { Range: 'bytes=0-20' }]) }),
  'GET /:db/:local': () => ({ path: '/_local/shared' }),
  'GET /:db/:local/:attachment+': () => ({ path: '/_local/shared/file' }),
  'POST /:db/_find': c => c.chance.happens(0.2) ? { path: '/_find?feed=continuous&timeout=1', body: { selector: {}, bookmark: NO_PLACE, known: { [c.id()]: null } } } : { path: '/_find', body: c.find() },
  'GET /:db/_find': c => ({ path: `/_find?feed=${c.chance.one(['continuous', 'eventsource'])}&timeout=1&request=${text(c.chance.one([{ selector: {} }, { selector: { number: { $gte: c.chance.below(10) } } }, { selector: { _id: c.id() }, fields: ['text'] }]))}` }),
  'GET /:db/_query': c => ({ path: `/_query?q=${encodeURIComponent(c.jsonQuery())}${c.chance.one(['', '&explain=true'])}` }),
  'POST /:db/_query': c => ({ path: '/_query', body: { q: c.jsonQuery(), explain: c.chance.happens(0.3) } }),
  'POST /:db/_explain': c => ({ path: '/_explain', body: c.find() }),
  'POST /:db/_find/:rest+': c => ({ path: '/_find/x', body: c.find() }),
  'POST /:db/_explain/:rest+': c => ({ path: '/_explain/x', body: c.find() }),
  'GET /:db/:ddoc/_info': c => ({ path: `/_design/${c.design()}/_info` }),
  'GET /:db/:ddoc/_view/:view': c => ({ path: `/_design/${c.design()}/_view/${c.view()}${c.query(c.chance.happens(0.6) ? c.rows : c.reduced)}` }),
  'POST /:db/:ddoc/_view/:view': c => ({ path: `/_design/${c.design()}/_view/${c.view()}`, body: { keys: [c.id(), 1, 2], reduce: false, include_docs: true } }),
  'POST /:db/:ddoc/_view/:view/queries': c => ({ path: `/_design/${c.design()}/_view/ids/queries`, body: { queries: [{ keys: [c.id()], include_docs: true }, { limit: 2, include_docs: true }] } }),
  'GET /:db/:ddoc/_show/:name': c => ({ path: `/_design/${c.design()}/_show/text` }),
  'GET /:db/:ddoc/_show/:name/:id+': c => ({ path: `/_design/${c.design()}/_show/text/${c.idPath()}` }),
  'GET /:db/:ddoc/_list/:name/:view': c => ({ path: `/_design/${c.design()}/_list/rows/${c.view()}?reduce=false&include_docs=true` }),
  'POST /:db/:ddoc/_list/:name/:view': c => ({ path: `/_design/${c.design()}/_list/rows/ids`, body: { keys: [c.id()] } }),
  'GET /:db/:ddoc/_list/:name/:other/:view': c => ({ path: `/_design/all/_list/rows/own/${c.view()}?reduce=false` }),
  'GET /:db/:ddoc/_rewrite/:path+': c => ({ path: `/_design/${c.design()}/_rewrite/${c.chance.one(['all', 'rows', `doc/${c.plainPath()}`])}` }),
  'GET /:db/_index': () => ({ path: '/_index' }),
  'POST /:db/_index': c => ({ path: '/_index', body: { index: { fields: ['text'] }, name: 'nosy', partial_filter_selector: { _id: c.id() } } }),
  'GET /:db/_security': () => ({ path: '/_security' }),
  'GET /:db/_purged_infos': () => ({ path: '/_purged_infos' }),
  'POST /:db/_purge': c => ({ path: '/_purge', body: revisions(c) }),
  'POST /:db/_ensure_full_commit': () => ({ path: '/_ensure_full_commit', body: {} }),
  'GET /:db/_shards/:doc': c => ({ path: `/_shards/${c.plainPath()}` }),
  'GET /:db/_adaptive_indexes': () => ({ path: '/_adaptive_indexes' }),
  'GET /:db/_history': () => ({ path: '/_history' }),
  'PUT /:db/_history': () => ({ path: '/_history', body: { versions: 3 } }),
  'DELETE /:db/_history': () => ({ path: '/_history' }),
  'GET /:db/:doc/_history': c => ({ path: `/${c.idPath()}/_history` }),
  'POST /:db/_restore': c => ({ path: '/_restore', body: { at: 1, docs: [c.id()] } }),
  'POST /:db/_transact': c => ({ path: '/_transact', body: { reads: [wanted(c), wanted(c)], writes: [] } }),
  'POST /:db/:ddoc/_rpc': c => ({ path: `/_design/${c.design()}/_rpc`, body: { jsonrpc: '2.0', id: 1, method: c.chance.one(['read', 'all']), params: { id: c.id() } } }),
  'GET /:db/_schema': () => ({ path: '/_schema' })
}

/** @param {Picks} c */
const more = c => c.chance.one(['', '&include_docs=true', '&include_docs=true&conflicts=true&style=all_docs', '&feed=continuous&timeout=1'])

/** @param {Picks} c */
function wanted (c) {
  const document = c.document()
  return c.chance.one([{ id: document.id }, { id: document.id, rev: c.rev(document) }, { id: document.id, rev: c.rev(document), atts_since: [c.rev(document)] }])
}

/** @param {Picks} c @returns {Record<string, string[]>} */
function revisions (c) {
  return Object.fromEntries([0, 1, 2].map(() => {
    const document = c.document()
    return [document.id, [...c.chance.happens(0.5) ? [c.rev(document)] : [], '9-0123456789abcdef0123456789abcdef']]
  }))
}

/** Routes whose questions need nothing of the documents: they are asked as they are, with an object as their body. */
const PLAIN = [
  // CouchDB's paths that lead nowhere, or to what is not here.
  /\/(_nouveau|_search|_nouveau_info|_search_info|_search_disk_size|_nouveau_cleanup|_search_cleanup|_temp_view|_shards|_sync_shards)\b/,
  /^(GET|POST|PUT|DELETE|COPY|OPTIONS) \/:db\/:ddoc\/(_list|_show|_update|_view|_rewrite)$/,
  /\/_view\/:view\/:rest\+$/, /\/_list\/:name(\/:other\/:view\/:rest\+)?$/, /\/_index\/:rest\+$/,
  /^(GET|PUT|DELETE|POST|COPY) \/:db\/_local(%2F)?$/, /^(PUT|DELETE|POST|COPY) \/:db\/:local\/:attachment\+$/,
  /^(OPTIONS|PUT|DELETE|COPY) \/:db\/:ddoc\/_list\//, /^POST \/:db\/:ddoc\/_list\/:name\/:other\/:view$/, /^(OPTIONS|POST|PUT|DELETE|COPY) \/:db\/:ddoc\/_show\//,
  /^(POST|PUT|DELETE|COPY) \/:db\/:ddoc\/_rewrite\//, /^GET \/:db\/:ddoc\/_update\//,
  // For administrators, who see all; asked to see that others are refused.
  /^(PUT|DELETE) \/:db\/_schema\/:schema$/, /^GET \/:db\/_schema\/:schema$/, /^PUT \/:db\/(_adaptive_indexes|_security|_revs_limit|_purged_infos_limit)$/,
  /^GET \/:db\/(_revs_limit|_purged_infos_limit)$/, /^POST \/:db\/(_compact|_compact\/:name|_view_cleanup|_index\/_bulk_delete)$/, /^DELETE \/:db\/_index\//,
  // These databases have no partitions.
  /^\w+ \/:db\/_partition/,
  // Routes of the server, and no database's.
  /^\w+ \/(?!:db)/
]

/** Ends the server, the test's own session, or other settings. Administrators alone get there, which other tests show. */
const NOT_ASKED = /^(PUT|POST|DELETE) \/(_node|_cluster_setup|_reshard|_shrink|_scrub)\b|_restart$|^(POST|DELETE) \/_session$/

module.exports = { NOT_ASKED, PLAIN, questions }
