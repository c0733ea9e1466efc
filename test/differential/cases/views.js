'use strict'

/** @type {import('../support/case').Case[]} */
module.exports = [
  {
    what: 'views',
    async run (db) {
      await db.put('/_design/d', { views: { m: { map: 'function (doc) { emit([doc.g, doc.n], doc.n) }' }, c: { map: 'function (doc) { emit([doc.g, doc.n], doc.n) }', reduce: '_count' }, s: { map: 'function (doc) { emit([doc.g, doc.n], doc.n) }', reduce: '_stats' }, a: { map: 'function (doc) { emit(doc.g, doc.n) }', reduce: '_approx_count_distinct' } } })
      await db.post('/_bulk_docs', { docs: [1, 2, 3, 4, 5].map(n => ({ _id: `d${n}`, n, g: n % 2 ? 'odd' : 'even' })) })
      for (const query of ['', '?limit=2', '?limit=0', '?skip=3', '?descending=true&limit=2', '?key=["odd",3]', '?startkey=["odd"]', '?startkey=["odd"]&endkey=["odd",3]', '?startkey=["odd"]&endkey=["odd",3]&inclusive_end=false', '?startkey=["odd",{}]&endkey=["even"]', '?startkey=["odd",{}]&endkey=["even"]&descending=true', '?include_docs=true&limit=1', '?update_seq=true&limit=0', '?reduce=true', '?group=true', '?stale=ok', '?stale=x', '?update=x', '?stable=x', '?limit=x', '?key=x', '?keys=[["odd",1],["none"]]', '?startkey_docid=d3&startkey=["odd",3]']) await db.get(`/_design/d/_view/m${query}`)
      for (const query of ['', '?reduce=false&limit=1', '?group=true', '?group_level=1', '?group_level=0', '?group_level=9', '?group_level=x', '?group_level=-1', '?group=true&limit=1', '?group=true&skip=1&limit=1', '?startkey=["odd"]', '?key=["none"]', '?group=true&descending=true', '?include_docs=true', '?keys=[["odd",1]]&group=true', '?group=true&key=["odd",1]', '?group=false&group_level=1']) for (const view of ['c', 's']) await db.get(`/_design/d/_view/${view}${query}`)
      await db.get('/_design/d/_view/a')
      for (const path of ['/_design/d/_view/none', '/_design/none/_view/x', '/_design/d/_view', '/_design/d/_none/x', '/_design/d/_view/m/x']) await db.get(path)
      for (const body of ['', '{}', '[]', '{"keys":5}', '{"queries":[]}', '{"limit":1}', '{"keys":[["odd",1]]}']) await db.post('/_design/d/_view/m', body)
      for (const body of [{}, { queries: 5 }, { queries: [{ limit: 1 }, { reduce: false, skip: 4 }] }]) await db.post('/_design/d/_view/c/queries', body)
    }
  },
  {
    what: 'design documents that are wrong',
    async run (db) {
      for (const [n, body] of [{ views: 5 }, { views: { v: 5 } }, { views: { v: {} } }, { views: { v: { map: 5 } } }, { views: { v: { map: 'function () {}', reduce: '_none' } } }, { language: 5 }, { language: 'none', views: { v: { map: 'x' } } }, { filters: 5 }, { filters: { f: 5 } }, { updates: 5 }, { lists: 5 }, { shows: { s: 5 } }, { validate_doc_update: 5 }, { options: 5 }, { options: { partitioned: 5 } }, { rewrites: 5 }, { rewrites: 'function () {}' }].entries()) await db.put(`/_design/d${n}`, body)
    }
  },
  {
    what: 'shows and updates',
    async run (db) {
      await db.put('/_design/d', {
        shows: { s: 'function (doc, req) { return { json: { id: req.id, doc: doc && doc.n, q: req.query } } }', t: 'function () { return "text" }', o: 'function () { return { code: 201, headers: { "X-A": "b" }, body: "x" } }' },
        updates: { u: 'function (doc, req) { if (!doc) return [{ _id: req.id || "made", n: 1 }, "made"]; doc.n++; return [doc, { json: { n: doc.n } }] }' }
      })
      await db.put('/a', { n: 1 })
      for (const path of ['s', 's/a', 's/none', 't', 't/a', 'o', 'none', 's/a?x=1', 's/_design%2Fd']) await db.get(`/_design/d/_show/${path}`)
      for (const path of ['u', 'u/a', 'u/b', 'none', 'u/b']) await db.ask('PUT', `/_design/d/_update/${path}`, '')
      await db.post('/_design/d/_update/u')
      await db.get('/_design/d/_update/u')
      await db.get('/a')
    }
  }
]
