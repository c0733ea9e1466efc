'use strict'

const fc = require('fast-check')

/** Names and texts that have broken servers: other servers', and this one's. */
const oddTexts = ['', '_', '__proto__', 'constructor', 'toString', '_id', '_design/', '_local/', '..', '/', '%', '%2F', 'a/b', '\0', '\ufffd', '\ud800', '\u2028', '😀',
  '"', "'", '\\', '\r\n', '{}', 'null', 'undefined', 'NaN', '0', '-0', '1e400', '9007199254740993', '[object Object]', 'x'.repeat(300)]

const text = fc.oneof({ weight: 3, arbitrary: fc.constantFrom('a', 'b', 'c', 'name', 'n', 'x') }, fc.constantFrom(...oddTexts), fc.string({ maxLength: 8, unit: 'binary' }))

const number = fc.oneof(fc.integer({ min: -3, max: 20 }), fc.constantFrom(0, -1, 1e21, 2 ** 53, -(2 ** 31), 1.5, 1e-7, 1e308, Number.MAX_SAFE_INTEGER), fc.double({ noNaN: true, noDefaultInfinity: true }))

/** Any JSON, mostly small. */
const json = fc.letrec(tie => ({
  value: fc.oneof({ maxDepth: 4, depthSize: 'small' }, fc.constantFrom(null, true, false), number, text, fc.array(tie('value'), { maxLength: 4 }), fc.dictionary(text, tie('value'), { maxKeys: 4, noNullPrototype: true }))
})).value

const digest = fc.constantFrom('967a00dff5e02add41819138abb3284d', 'a'.repeat(32), 'abc', '', 'é')
const revision = fc.oneof({ weight: 4, arbitrary: fc.constantFrom('1-967a00dff5e02add41819138abb3284d', '2-7051cbe5c8faecd085a3fa619e6e6337') },
  fc.tuple(fc.constantFrom(0, 1, 2, 3, 999999999999, -1), digest).map(([generation, hash]) => `${generation}-${hash}`), text)

const id = fc.oneof({ weight: 6, arbitrary: fc.constantFrom('a', 'b', 'c', 'd', 'e', '_design/d', '_local/l', '_design/broken') }, text)

const attachment = fc.oneof(
  fc.record({ content_type: fc.oneof(fc.constantFrom('text/plain', 'application/json', ''), text), data: fc.oneof(fc.base64String({ maxLength: 40 }), text) }),
  fc.record({ stub: fc.constant(true), digest: text, revpos: number }, { requiredKeys: ['stub'] }),
  fc.record({ follows: fc.constant(true), length: number, content_type: text }, { requiredKeys: ['follows'] }), json)

const functionText = fc.constantFrom('function (doc) { emit(doc._id, doc) }', 'function (doc) { emit(doc.n, 1); emit([doc.a, doc.b], null) }', 'function (doc, req) { return true }',
  'function (d, o, u, s) { if (d.forbidden) throw ({ forbidden: "no" }) }', 'function (k, v, r) { return r ? sum(v) : v.length }', '_count', '_sum', '_stats', '_approx_count_distinct', '_top_2',
  'function () { throw 1 }', 'function (', '', 'function (doc, req) { return [doc || { _id: req.uuid }, "x"] }', 'function (head, req) { var row; start({ headers: {} }); while (row = getRow()) send("x") }', 'function (doc, req) { return { code: 299, headers: { a: "b" }, body: JSON.stringify(req) } }')

const functions = fc.oneof(fc.dictionary(fc.constantFrom('v', 'w', 'x', '__proto__'), functionText, { maxKeys: 3, noNullPrototype: true }), json)

const designDocument = fc.record({
  language: fc.constantFrom('javascript', 'query', 'erlang', 1),
  views: fc.oneof({ weight: 4, arbitrary: fc.dictionary(fc.constantFrom('v', 'w', 'x', 'lib'), fc.record({ map: functionText, reduce: functionText, options: json }, { requiredKeys: ['map'] }), { maxKeys: 3, noNullPrototype: true }) }, json),
  filters: functions,
  shows: functions,
  lists: functions,
  updates: functions,
  rewrites: fc.oneof(fc.array(fc.record({ from: text, to: fc.oneof(text, fc.constantFrom('_view/v', '../../../', '/x')), method: text, query: json }, { requiredKeys: ['to'] }), { maxLength: 3 }), functionText, json),
  validate_doc_update: functionText,
  options: json,
  autoupdate: fc.boolean()
}, { requiredKeys: [] })

const special = fc.record({
  _id: id,
  _rev: revision,
  _deleted: fc.oneof(fc.boolean(), json),
  _revisions: fc.oneof(fc.record({ start: number, ids: fc.array(digest, { maxLength: 4 }) }), json),
  _attachments: fc.oneof(fc.dictionary(text, attachment, { maxKeys: 3, noNullPrototype: true }), json),
  _conflicts: json,
  _secret: json
}, { requiredKeys: [] })

const document = fc.oneof(
  { weight: 5, arbitrary: fc.tuple(special, fc.dictionary(text, json, { maxKeys: 4, noNullPrototype: true })).map(([first, rest]) => ({ ...rest, ...first })) },
  { weight: 2, arbitrary: fc.tuple(fc.record({ _id: id, _rev: revision }, { requiredKeys: [] }), designDocument).map(([first, rest]) => ({ ...rest, ...first })) },
  json)

const operators = ['$lt', '$lte', '$eq', '$ne', '$gte', '$gt', '$exists', '$type', '$in', '$nin', '$size', '$mod', '$regex', '$beginsWith', '$all', '$elemMatch', '$allMatch', '$keyMapMatch', '$and', '$or', '$not', '$nor', '$text', '$x']

const selector = fc.letrec(tie => ({
  selector: fc.oneof({ maxDepth: 3 }, { weight: 3, arbitrary: fc.dictionary(fc.oneof(fc.constantFrom('a', 'n', '_id', 'a.b', 'a\\.b', '.', '_attachments', 'name'), fc.constantFrom(...operators), text), tie('argument'), { maxKeys: 3, noNullPrototype: true }) }, json),
  argument: fc.oneof(json, tie('selector'), fc.dictionary(fc.constantFrom(...operators), fc.oneof(json, tie('selector'), fc.array(tie('selector'), { maxLength: 3 }), fc.constantFrom('^a', '(a+)+$', '(', '[')), { maxKeys: 2, noNullPrototype: true }))
})).selector

module.exports = { document, designDocument, functionText, id, json, number, oddTexts, revision, selector, text }
