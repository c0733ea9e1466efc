'use strict'

/** Everything that a design document can show of documents. */
const functions = {
  views: {
    ids: { map: 'function (doc) { emit(doc._id, doc.text) }' },
    values: { map: 'function (doc) { emit(doc.number, doc) }', reduce: '_approx_count_distinct' },
    count: { map: 'function (doc) { emit(doc.number, 1) }', reduce: '_count' },
    sum: { map: 'function (doc) { emit([doc.number, doc._id], doc.number) }', reduce: '_sum' },
    linked: { map: 'function (doc) { if (doc.link) emit(doc._id, { _id: doc.link }) }' },
    words: { map: 'function (doc) { emit(doc.text, null) }', reduce: 'function (keys, values, again) { return again ? values.join() : keys.map(function (key) { return key[0] }).join() }' }
  },
  filters: {
    all: 'function () { return true }',
    odd: 'function (doc) { return doc.number % 2 === 1 }'
  },
  shows: { text: 'function (doc, req) { return doc === null ? "nothing at " + req.id : JSON.stringify(doc) }' },
  lists: { rows: 'function (head, req) { var row; send(JSON.stringify(head)); while (row = getRow()) send(JSON.stringify(row)) }' },
  updates: { put: 'function (doc, req) { var given = JSON.parse(req.body); given._id = req.id || given._id; if (doc) given._rev = doc._rev; return [given, JSON.stringify(doc)] }' },
  rpc: {
    read: 'function (params, tx) { return tx.get(params.id) }',
    all: 'function (params, tx) { return tx.find({ selector: {} }) }'
  },
  rewrites: [{ from: '/all', to: '../../_all_docs', query: { include_docs: 'true' } }, { from: '/doc/:id', to: '../../:id' }, { from: '/rows', to: '_list/rows/ids' }]
}

/** The administrator's: one whose views hold rows of all, and one whose views hold them by who may see them. */
const designs = [
  { _id: '_design/all', ...functions },
  { _id: '_design/own', options: { access: true }, ...functions },
  { _id: '_design/index', language: 'query', views: { number: { map: { fields: { number: 'asc' }, partial_filter_selector: {} }, reduce: '_count', options: { def: { fields: ['number'] } } } } }
]

module.exports = { designs }
