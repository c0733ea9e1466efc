'use strict'

const list = 'function (head, req) { var row; send(JSON.stringify(head)); while (row = getRow()) send(JSON.stringify(row)) }'

/** @type {import('../support/case').Case[]} */
module.exports = [
  {
    what: 'lists',
    async run (db) {
      await db.put('/_design/d', {
        views: { v: { map: 'function (doc) { emit(doc.n, 1) }', reduce: '_sum' }, m: { map: 'function (doc) { emit(doc.n, 1) }' } },
        lists: { l: list }
      })
      for (const n of [1, 1, 2, 3]) await db.post('/_bulk_docs', { docs: [{ _id: `${n}-${db.answers.length}`, n }] })
      const path = '/_design/d/_list/l'
      for (const query of ['v', 'm', 'v?reduce=false', 'v?group=true', 'v?group=true&keys=[1,3]', 'v?keys=[1,3]', 'v?reduce=false&keys=[1,3]', 'm?keys=[3,1]', 'v?key=1', 'v?keys=[1]', 'm?group=true', 'none', '_all_docs', '_all_docs?keys=["_design/d","x"]']) await db.get(`${path}/${query}`)
      for (const body of [{ keys: [1, 3] }, { keys: [1, 3], group: true }, { keys: [1, 3], reduce: false }, {}]) await db.post(`${path}/v`, body)
      await db.get('/_design/d/_view/v?keys=[1,3]')
      await db.get('/_design/d/_view/v?group=true&keys=[1,3]')
      for (const method of ['OPTIONS', 'PUT', 'DELETE', 'HEAD', 'COPY']) await db.ask(method, `${path}/v`)
      for (const method of ['OPTIONS', 'GET', 'POST', 'PUT']) await db.ask(method, path, method === 'POST' ? {} : undefined)
      for (const method of ['OPTIONS', 'GET']) await db.ask(method, '/_design/d/_list')
    }
  },
  {
    what: 'OPTIONS of other paths',
    async run (db) {
      await db.put('/_design/d', { views: { v: { map: 'function (doc) { emit(doc.n, 1) }' } }, shows: { s: 'function () { return "s" }' } })
      for (const path of ['', '/_all_docs', '/a', '/_design/d', '/_design/d/_view/v', '/_design/d/_show/s', '/_changes', '/_find', '/_local/x', '/_security', '/_bulk_docs']) await db.ask('OPTIONS', path)
    }
  },
  {
    what: '`OPTIONS` of update functions',
    differs: true,
    async run (db) {
      await db.put('/_design/d', { updates: { u: 'function () { return [null, "u"] }' } })
      await db.ask('OPTIONS', '/_design/d/_update/u')
    }
  },
  {
    what: 'CoffeeScript',
    async run (db) {
      await db.put('/_design/c', {
        language: 'coffeescript',
        views: { v: { map: '(doc) -> emit doc._id, doc.n * 2', reduce: '(keys, values) -> sum values' } },
        filters: { f: '(doc) -> doc.n > 1' },
        validate_doc_update: '(doc, old, user) -> throw { forbidden: "no" } if doc.n is 9',
        shows: { s: '(doc, req) -> "n is #{doc.n}"' }
      })
      await db.put('/a', { n: 1 })
      await db.put('/b', { n: 2 })
      await db.put('/z', { n: 9 })
      await db.get('/_design/c/_view/v?reduce=false')
      await db.get('/_design/c/_view/v')
      await db.get('/_changes?filter=c/f')
      await db.get('/_design/c/_show/s/a')
    }
  }
]
