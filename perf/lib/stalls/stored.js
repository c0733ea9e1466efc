'use strict'

/** Requests that look at large documents which are stored. */

/** `[prefix0suffix,prefix1suffix,…]` without its brackets. */
function repeated (count, item) { return Array.from({ length: count }, (_, i) => item(i)).join(',') }

/** An object's text by how many members it has. */
function members (item) { return count => `{${repeated(count, item)}}` }

const REV = `1-${'a'.repeat(32)}`

/** No other document has this `n`. */
const HEAD = `"_id":"stored","_rev":"${REV}","n":-1`

const wide = members(i => `"m${i}":0`)
const withMembers = count => `{${HEAD},${wide(count).slice(1)}`
const withObject = count => `{${HEAD},"a":${wide(count)}}`
const withArray = count => `{${HEAD},"a":[${repeated(count, i => `{"i":${i}}`)}]}`
const attachments = (count, item) => `"_attachments":{${repeated(count, i => `"a${i}":{"content_type":"a/b",${item(i)}}`)}}`
const withTexts = count => `{${HEAD},"a":[${repeated(count, i => `"${'a'.repeat(18)}${i}"`)}]}`
const withAttachments = count => `{${HEAD},${attachments(count, () => '"data":""')}}`
/** Each has content of its own. */
const withContents = count => `{${HEAD},${attachments(count, i => `"data":"${Buffer.from(String(i)).toString('base64')}"`)}}`
/** One that differs from that document in nothing but its members, and names its attachments. */
const withStubs = count => `{"_rev":"${REV}",${attachments(count, () => '"stub":true')}}`

const FUNCTIONS = {
  validate_doc_update: 'function (doc, old) { if (old && old.n !== -1) throw { forbidden: "another" } }',
  filters: { f: 'function (doc) { return doc.n === -1 }' },
  shows: { s: 'function (doc) { return String(doc.n) }' },
  lists: { l: 'function () { var row, n = 0; while ((row = getRow())) n += row.doc.n; return String(n) }' },
  updates: { u: 'function (doc) { doc.changed = 1; return [doc, "changed"] }' },
  views: { one: { map: 'function (doc) { if (doc.n === -1) emit(doc.n) }' } }
}

/** Stores a document of that text, and what else there is to be. */
function store (text, ...requests) {
  return async (ask, count) => {
    await ask('PUT', '/n/stored?new_edits=false', Buffer.from(text(count)))
    for (const request of requests) await ask(...request)
  }
}

/** Documents of several megabytes each. */
function storeMany (text, documents) {
  return async (ask, count) => {
    for (let i = 0; i < documents; i++) await ask('PUT', `/n/stored${i}?new_edits=false`, Buffer.from(text(count).replace('"stored"', `"stored${i}"`)))
  }
}

const withFunctions = ['PUT', '/n/_design/f', FUNCTIONS]
const find = (selector, rest = '') => () => `{"selector":${selector}${rest}}`
const nothing = () => ''
const long = count => `{${HEAD},"a":"${'x'.repeat(count)}"}`

/** @type {import('./bodies').LargeBody[]} */
const storedDocuments = [
  { name: 'stored-find', what: 'members of a document that _find looks at', count: 600_000, target: 'POST /n/_find', text: find('{"n":-1}'), statuses: [200], before: store(withMembers) },
  { name: 'stored-find-small', what: 'small objects in a document that _find looks at', count: 600_000, target: 'POST /n/_find', text: find('{"a":{"$elemMatch":{"i":{"$lt":0}}}}'), statuses: [200], before: store(withArray) },
  { name: 'stored-find-or', what: 'elements that $elemMatch compares 100 times', count: 600_000, target: 'POST /n/_find', text: find(`{"a":{"$elemMatch":{"$or":[${repeated(100, i => `{"i":${-1 - i}}`)}]}}}`), statuses: [200, 400], before: store(withArray) },
  { name: 'stored-find-regex', what: 'characters that a $regex goes through again from each', count: 7_000_000, target: 'POST /n/_find', text: find('{"a":{"$regex":"x*y"}}'), statuses: [400], before: store(long) },
  { name: 'stored-find-regexes', what: 'texts of which each takes a $regex milliseconds', count: 200, target: 'POST /n/_find', text: find('{"a":{"$elemMatch":{"$regex":"^(a+)+$"}}}'), statuses: [200], before: store(withTexts) },
  { name: 'stored-find-fields', what: 'members of a field that _find shows', count: 600_000, target: 'POST /n/_find', text: find('{"n":-1}', ',"fields":["a"]'), statuses: [200], before: store(withObject) },
  { name: 'stored-find-sort', what: 'members of a document that _find sorts', count: 600_000, target: 'POST /n/_find', text: find('{"n":{"$lt":10}}', ',"sort":["n"],"limit":5'), statuses: [200, 400], before: store(withMembers) },
  { name: 'stored-find-many', what: 'characters of each of 20 documents that _find looks at', count: 7_000_000, target: 'POST /n/_find', text: find('{"n":-1}', ',"limit":100'), statuses: [200], before: storeMany(long, 20) },
  { name: 'stored-index', what: 'members of a document that an index of _find is made of', count: 600_000, target: 'POST /n/_find', text: find('{"n":-1}'), statuses: [200], before: store(withMembers, ['POST', '/n/_index', { index: { fields: ['n'] } }]) },
  { name: 'stored-changes-selector', what: 'members of a document that a selector of _changes looks at', count: 600_000, target: 'POST /n/_changes?filter=_selector', text: find('{"n":-1}'), statuses: [200], before: store(withMembers) },
  { name: 'stored-changes-fields', what: 'members of a field that _changes shows', count: 600_000, target: 'POST /n/_changes?filter=_selector&include_docs=true', text: find('{"n":-1}', ',"fields":["a"]'), statuses: [200], before: store(withObject) },
  { name: 'stored-filter', what: 'members of a document that a filter function looks at', count: 600_000, target: 'GET /n/_changes?filter=f/f', text: nothing, statuses: [200, 500], before: store(withMembers, withFunctions) },
  { name: 'stored-copy', what: 'members of a document that is copied', count: 600_000, target: 'COPY /n/stored', text: nothing, statuses: [201], before: store(withMembers), headers: { destination: 'copy' } },
  { name: 'stored-attachment', what: 'members of a document that an attachment is added to', count: 600_000, target: `PUT /n/stored/a?rev=${REV}`, text: () => 'content', statuses: [201], before: store(withMembers) },
  { name: 'stored-attachment-validated', what: 'the same, where a function validates it', count: 600_000, target: `PUT /n/stored/a?rev=${REV}`, text: () => 'content', statuses: [201, 500], before: store(withMembers, withFunctions) },
  { name: 'stored-validated', what: 'members of a document whose update a function validates', count: 600_000, target: 'PUT /n/stored', text: () => `{"_rev":"${REV}","n":-1}`, statuses: [201, 500], before: store(withMembers, withFunctions) },
  { name: 'stored-show', what: 'members of a document that a show function shows', count: 600_000, target: 'GET /n/_design/f/_show/s/stored', text: nothing, statuses: [200, 500], before: store(withMembers, withFunctions) },
  { name: 'stored-list', what: 'members of a document that a list function sees', count: 600_000, target: 'GET /n/_design/f/_list/l/one?include_docs=true', text: nothing, statuses: [200, 500], before: store(withMembers, withFunctions) },
  { name: 'stored-update', what: 'members of a document that an update function changes', count: 600_000, target: 'PUT /n/_design/f/_update/u/stored', text: nothing, statuses: [201, 500], before: store(withMembers, withFunctions) },
  { name: 'stored-attachments', what: 'attachments of a document that is read', count: 100_000, target: 'GET /n/stored', text: nothing, statuses: [200], before: store(withAttachments) },
  { name: 'stored-attachments-contents', what: 'attachments of a document that is read with their content', count: 100_000, target: 'GET /n/stored?attachments=true', text: nothing, statuses: [200], before: store(withContents), headers: { accept: 'application/json' } },
  { name: 'stored-attachments-multipart', what: 'the same as multipart/related', count: 100_000, target: 'GET /n/stored?attachments=true', text: nothing, statuses: [200], before: store(withContents), headers: { accept: 'multipart/related' } },
  { name: 'stored-attachments-changes', what: 'attachments of a document in _changes', count: 100_000, target: 'GET /n/_changes?include_docs=true&descending=true&limit=1', text: nothing, statuses: [200], before: store(withAttachments) },
  { name: 'stored-attachments-all-docs', what: 'attachments of a document in _all_docs', count: 100_000, target: 'GET /n/_all_docs?include_docs=true&startkey="s"', text: nothing, statuses: [200], before: store(withAttachments) },
  { name: 'stored-attachments-bulk-get', what: 'attachments of a document in _bulk_get', count: 100_000, target: 'POST /n/_bulk_get', text: () => '{"docs":[{"id":"stored"}]}', statuses: [200], before: store(withAttachments) },
  { name: 'stored-attachments-find', what: 'attachments of a document that _find looks at', count: 100_000, target: 'POST /n/_find', text: find('{"n":-1}'), statuses: [200], before: store(withAttachments) },
  { name: 'stored-attachments-find-fields', what: 'attachments of a document that _find shows', count: 100_000, target: 'POST /n/_find', text: find('{"n":-1}', ',"fields":["_attachments"]'), statuses: [200], before: store(withAttachments) },
  { name: 'stored-attachments-one', what: 'attachments of a document of which one is read', count: 100_000, target: 'GET /n/stored/a1', text: nothing, statuses: [200], before: store(withAttachments) },
  { name: 'stored-attachments-added', what: 'attachments of a document to which another is added', count: 100_000, target: `PUT /n/stored/a?rev=${REV}`, text: () => 'content', statuses: [201], before: store(withAttachments) },
  { name: 'stored-attachments-stubs', what: 'stubs of attachments in a document that is changed', count: 100_000, target: 'PUT /n/stored', text: withStubs, statuses: [201], before: store(withContents) },
  { name: 'stored-attachments-copy', what: 'attachments of a document that is copied', count: 100_000, target: 'COPY /n/stored', text: nothing, statuses: [201], before: store(withContents), headers: { destination: 'copy' } },
  { name: 'attachments', what: 'attachments of a document that is written', count: 100_000, target: 'PUT /n/stored?new_edits=false', text: withContents, statuses: [201], before: async () => {} },
  { name: 'attachments-alike', what: 'attachments without content of a document that is written', count: 100_000, target: 'POST /n', text: count => withAttachments(count).replace(`"_rev":"${REV}",`, ''), statuses: [201], before: async () => {} },
  { name: 'stored-get-many', what: 'characters of each of 20 documents in _all_docs', count: 7_000_000, target: 'GET /n/_all_docs?include_docs=true&startkey="s"', text: nothing, statuses: [200], before: storeMany(long, 20) }
]

module.exports = { REV, members, repeated, storedDocuments }
