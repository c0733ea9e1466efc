'use strict'

const http = require('node:http')
const zlib = require('node:zlib')
const fc = require('fast-check')
const { routes } = require('../../server/lib/dispatch/routes')
const { document, id, json, number, oddTexts, revision, selector, text } = require('./documents')

/** Routes that would end the server, open it to others, or wait for others. */
const LEFT_OUT = /_restart|_cluster_setup|_node\/:node\/_config|_reshard|_sync_shards/

const chosen = routes.filter(({ path }) => !LEFT_OUT.test(path))

const variables = {
  db: fc.oneof({ weight: 12, arbitrary: fc.constantFrom('fuzz', 'fuzz', 'fuzz', 'fuzz2', 'fuzz2', 'fuzz-made') }, fc.constantFrom('_users', '_replicator', 'none', 'A'), text),
  ddoc: fc.oneof({ weight: 6, arbitrary: fc.constantFrom('_design/d', '_design/broken') }, text.map(name => `_design/${name}`)),
  local: fc.oneof(fc.constant('_local/l'), text.map(name => `_local/${name}`)),
  node: fc.constantFrom('_local', 'nonode@nohost', 'x')
}
const names = fc.oneof({ weight: 5, arbitrary: fc.constantFrom('a', 'b', 'c', 'v', 'w', 'x', 'att', 'p:1', 'p') }, id, text)

/** A route's path, with its variables filled in. */
function fill (pattern) {
  return fc.tuple(...pattern.split('/').slice(1).map(part => {
    if (!part.startsWith(':')) return fc.constant(part)
    const variable = variables[part.replace(/[:+]/g, '')] ?? names
    return variable.map(value => encode(value))
  })).map(segments => '/' + segments.join('/'))
}

/** As clients do: a design document's slash stays. */
function encode (value) {
  return encodeURIComponent(value.toWellFormed()).replace(/^_(design|local)%2F/, '_$1/')
}

const bend = fc.oneof({ weight: 20, arbitrary: fc.constant(path => path) },
  fc.constantFrom(path => `/${path}`, path => `${path}/`, path => path.replace('/', '/%2F'), path => path + '%00', path => path + '%c0%af', path => `${path}/../x`, path => path.toUpperCase(), path => `http://x${path}`, path => path.replace(/[a-z]/g, each => '%' + each.charCodeAt(0).toString(16))))

const queryNames = [...new Set(routes.flatMap(({ query }) => Object.keys(query ?? {})))]
const queryValue = fc.oneof(json.map(value => JSON.stringify(value)), fc.constantFrom('true', 'false', '', '0', '1', '-1', 'now', 'ok', 'update', 'lazy', 'all', 'all_docs', 'main_only', '_selector', '_doc_ids', '_view', '_design', 'd/x', 'd/v', '[]', '{}', '["a","b"]', '[', '1-x'), revision, text)
const parameter = fc.tuple(fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...queryNames) }, text), queryValue)

/** Feeds are to end soon. */
const query = fc.array(parameter, { maxLength: 4 }).map(pairs => {
  const all = pairs.filter(([name]) => name !== 'timeout' && name !== 'heartbeat')
  return [...all, ['timeout', '50']].map(pair => pair.map(each => encodeURIComponent(each.toWellFormed())).join('=')).join('&')
})

const viewBody = fc.record(Object.fromEntries(['key', 'keys', 'startkey', 'endkey', 'descending', 'limit', 'skip', 'reduce', 'group', 'group_level', 'include_docs', 'conflicts', 'inclusive_end', 'update_seq', 'sorted', 'stable', 'update', 'queries'].map(name => [name, json])), { requiredKeys: [] })
const findBody = fc.record({ selector, fields: json, sort: json, limit: number, skip: number, bookmark: text, use_index: json, conflicts: json, execution_stats: json, update: json, r: json, allow_fallback: json }, { requiredKeys: ['selector'] })
const indexBody = fc.record({ index: fc.oneof(fc.record({ fields: fc.array(fc.oneof(text, json), { maxLength: 3 }), partial_filter_selector: selector }, { requiredKeys: ['fields'] }), json), name: json, ddoc: json, type: fc.constantFrom('json', 'text', 1), partitioned: json }, { requiredKeys: ['index'] })
const bulkBody = fc.record({ docs: fc.oneof({ weight: 5, arbitrary: fc.array(document, { maxLength: 5 }) }, json), new_edits: fc.oneof(fc.boolean(), json), all_or_nothing: json, atomic: json }, { requiredKeys: ['docs'] })
const revisionsBody = fc.dictionary(id, fc.oneof(fc.array(revision, { maxLength: 3 }), json), { maxKeys: 3, noNullPrototype: true })
const bulkGetBody = fc.record({ docs: fc.oneof(fc.array(fc.record({ id, rev: revision, atts_since: json }, { requiredKeys: ['id'] }), { maxLength: 4 }), json) })
const changesBody = fc.record({ doc_ids: fc.oneof(fc.array(id, { maxLength: 3 }), json), selector, limit: json, since: json }, { requiredKeys: [] })
const securityBody = fc.record({ admins: fc.oneof(fc.record({ names: json, roles: json }, { requiredKeys: [] }), json), members: json }, { requiredKeys: [] })
const replication = fc.record({ source: fc.oneof(fc.constantFrom('fuzz', 'fuzz2', 'none'), json), target: fc.oneof(fc.constantFrom('fuzz', 'fuzz2', 'none'), json), cancel: json, doc_ids: json, selector, filter: text, since_seq: json, create_target: json }, { requiredKeys: ['source', 'target'] })

const structured = fc.oneof(document, document, bulkBody, bulkBody, viewBody, findBody, indexBody, revisionsBody, bulkGetBody, changesBody, securityBody, replication, json,
  fc.record({ name: text, password: text, roles: json, type: fc.constant('user') }, { requiredKeys: ['name'] }), fc.record({ queries: fc.array(viewBody, { maxLength: 3 }) }))

/** Bodies that a path wants, by its last word; others take documents. */
const wanted = {
  _bulk_docs: bulkBody,
  _find: findBody,
  _explain: findBody,
  _index: indexBody,
  _bulk_get: bulkGetBody,
  _changes: changesBody,
  _security: securityBody,
  _replicate: replication,
  _revs_diff: revisionsBody,
  _missing_revs: revisionsBody,
  _purge: revisionsBody,
  _all_docs: viewBody,
  _design_docs: viewBody,
  _local_docs: viewBody,
  ':view': viewBody,
  queries: fc.record({ queries: fc.array(viewBody, { maxLength: 3 }) })
}

/** JSON, and what is nearly JSON. */
const jsonText = value => fc.tuple(value, fc.oneof({ weight: 12, arbitrary: fc.constant(text => text) },
  fc.constantFrom(text => text.slice(0, -1), text => text + text, text => text.replace(/"/g, "'"), text => text.replace(/\d/, '1e400'), text => `[${text}]`, text => text.replace(/:/, '::'), text => '['.repeat(3000) + text + ']'.repeat(3000), text => text.replace('{', '{"__proto__":{"x":1},'), () => '', () => '\ufeff{}')))
  .map(([value, change]) => Buffer.from(change(JSON.stringify(value))))

const anyText = jsonText(structured)

const part = fc.tuple(fc.constantFrom('Content-Type: application/json\r\n', 'Content-Disposition: attachment; filename="a"\r\n', 'Content-Disposition: form-data; name="_attachments"; filename="a"\r\n', 'Content-Length: 3\r\n', ''), fc.oneof(anyText, fc.uint8Array({ maxLength: 20 }).map(bytes => Buffer.from(bytes))))
const multipart = fc.tuple(fc.array(part, { maxLength: 3 }), fc.constantFrom('--b--', '--b', ''))
  .map(([parts, end]) => Buffer.concat([...parts.flatMap(([head, content]) => [Buffer.from(`--b\r\n${head}\r\n`), content, Buffer.from('\r\n')]), Buffer.from(end)]))

const body = pattern => fc.oneof(
  { weight: 10, arbitrary: fc.record({ type: fc.constant('application/json'), bytes: jsonText(wanted[pattern.slice(pattern.lastIndexOf('/') + 1)] ?? document) }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('application/json'), bytes: anyText }) },
  fc.record({ type: fc.constantFrom('multipart/related; boundary=b', 'multipart/related;boundary="b"', 'multipart/form-data; boundary=b', 'multipart/related', 'multipart/mixed; boundary=b'), bytes: multipart }),
  fc.record({ type: fc.constantFrom('text/plain', 'application/x-www-form-urlencoded', 'application/octet-stream', ''), bytes: fc.oneof(anyText, fc.uint8Array({ maxLength: 30 }).map(bytes => Buffer.from(bytes))) }),
  fc.constant({ type: '', bytes: Buffer.alloc(0) }))

const headerValues = {
  Accept: ['application/json', 'text/html', '*/*', 'multipart/related', 'multipart/mixed', 'multipart/*', 'x', 'text/event-stream'],
  'If-Match': ['1-967a00dff5e02add41819138abb3284d', '"1-967a00dff5e02add41819138abb3284d"', '*', 'x', ''],
  'If-None-Match': ['"1-967a00dff5e02add41819138abb3284d"', '*', 'x,y', 'W/"x"'],
  Range: ['bytes=0-1', 'bytes=-1', 'bytes=5-', 'bytes=0-0,2-3', 'bytes=9-1', 'x', 'bytes=99999999999999999999-'],
  Destination: ['e', 'e?rev=1-967a00dff5e02add41819138abb3284d', '/x/y', 'http://x/fuzz/e', '_design/e', '', '%', '_local/x'],
  'Content-Encoding': ['gzip', 'deflate', 'identity', 'x'],
  'Content-MD5': ['x', 'rL0Y20zC+Fzt72VPzMSk2A=='],
  Origin: ['null', 'http://localhost', 'https://x', 'x'],
  'X-HTTP-Method-Override': ['PUT', 'DELETE', 'GET', 'COPY', 'x', 'PATCH'],
  'X-Couch-Full-Commit': ['true', 'x'],
  'Last-Event-ID': ['1', '0', 'x', '[]', '99999999999'],
  Prefer: ['return=minimal'],
  Authorization: ['', 'Basic', 'Basic x', 'Basic Og==', 'Bearer x.y.z', 'Bearer eyJhbGciOiJub25lIn0.e30.', 'Basic ZnV6ejpmdXp6'],
  Cookie: ['AuthSession=', 'AuthSession=x', 'AuthSession=YWRtaW46NUY6eA', 'a=b; AuthSession="'],
  'X-Auth-CouchDB-UserName': ['x'],
  Expect: ['100-continue'],
  Host: ['x', 'x:y', '']
}
const header = fc.constantFrom(...Object.keys(headerValues)).chain(name => fc.tuple(fc.constant(name), fc.constantFrom(...headerValues[name])))

const otherMethod = fc.constantFrom(...http.METHODS.filter(name => name !== 'CONNECT'))

/**
 * One request that may be sent to any route: `{ method, path, headers, body }`.
 * @type {import('fast-check').Arbitrary<{ method: string, path: string, headers: Record<string, string>, body: Buffer }>}
 */
const request = fc.constantFrom(...chosen).chain(route => fc.tuple(
  fc.oneof({ weight: 30, arbitrary: fc.constant(route.method) }, otherMethod), fill(route.path), bend, query, fc.array(header, { maxLength: 2 }), body(route.path)
)).map(([method, path, bend, query, headers, { type, bytes }]) => {
  const encoded = headers.some(([name, value]) => name === 'Content-Encoding' && value === 'gzip') && bytes.length % 2 === 0
  // Without its databases there is little to do.
  const kept = method === 'DELETE' && /^\/fuzz2?$/.test(path) ? '/fuzz-made' : path
  return {
    method,
    path: bend(`${kept}?${query}`),
    headers: { ...(type !== '' && { 'Content-Type': type }), ...Object.fromEntries(headers) },
    body: encoded ? zlib.gzipSync(bytes) : bytes
  }
})

module.exports = { request, oddTexts }
