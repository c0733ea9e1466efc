'use strict'

const A = 'a'.repeat(32)
const B = 'b'.repeat(32)
const C = 'c'.repeat(32)

/** Two branches after one revision: 2-b and 2-c after 1-a. */
const branches = {
  new_edits: false,
  docs: [
    { _id: 'x', _revisions: { start: 2, ids: [B, A] } },
    { _id: 'x', _revisions: { start: 2, ids: [C, A] } }
  ]
}

/** @type {import('../support/case').Case[]} */
module.exports = [
  {
    what: 'bulk_get with latest',
    async run (db) {
      await db.post('/_bulk_docs', branches)
      await db.post('/_bulk_get?latest=true', { docs: [{ id: 'x', rev: `1-${A}` }] })
      await db.post('/_bulk_get?latest=true&revs=true', { docs: [{ id: 'x', rev: `2-${B}` }, { id: 'x', rev: `9-${A}` }, { id: 'y', rev: `1-${A}` }] })
      await db.post('/_bulk_get', { docs: [{ id: 'x', rev: `1-${A}` }, { id: 'x' }, { id: 'y' }] })
    }
  },
  {
    what: 'bulk_get with bad requests',
    async run (db) {
      for (const docs of [[{}], ['a'], [{ id: '' }], [{ id: '_x' }], [{ id: 5 }], [{ id: 'x', rev: 'zz' }], [{ id: 'x', rev: 5 }], [{ rev: '1-a' }], [{ id: 'x', atts_since: 'y' }], []]) await db.post('/_bulk_get', { docs })
      await db.post('/_bulk_get', {})
      await db.post('/_bulk_get', { docs: 'x' })
    }
  },
  {
    what: 'bulk_get of bad ids in a partitioned database',
    async run (db) {
      await db.create('-p', '&partitioned=true')
      for (const id of ['none', ':x', '_design/d', '_x:y', 'a:', 'a:b', '_local/x']) await db.ask('POST', '-p/_bulk_get', { docs: [{ id }] })
      for (const id of ['none', ':x']) await db.ask('POST', '-p/_bulk_get', { docs: [{ id, rev: `1-${A}` }] })
    }
  },
  {
    what: 'revisions of local documents',
    async run (db) {
      await db.put('/_local/x', { n: 1 })
      for (const query of ['?rev=0-1', '?rev=0-7', '?rev=1-a', '?open_revs=all', '?open_revs=["0-1"]', '?open_revs=["0-9"]', '?revs=true', '?revs_info=true', '?conflicts=true', '?local_seq=true', '?latest=true', '?meta=true']) await db.get(`/_local/x${query}`)
      await db.get('/_local/none?open_revs=all')
      await db.get('/_local/none?open_revs=["0-1"]')
      await db.get('/_local/none?rev=0-1')
    }
  },
  {
    what: 'ranges of local documents',
    async run (db) {
      for (const name of ['a', 'b', 'c', 'd']) await db.put(`/_local/${name}`, {})
      for (const query of ['', '?limit=2', '?skip=1', '?skip=1&limit=1', '?limit=0', '?descending=true&limit=1', '?startkey="_local/b"&limit=1', '?key="_local/c"', '?include_docs=true&limit=1', '?endkey="_local/c"&inclusive_end=false']) await db.get(`/_local_docs${query}`)
    }
  },
  {
    what: 'keys of local documents',
    async run (db) {
      for (const name of ['a', 'b', 'c']) await db.put(`/_local/${name}`, {})
      for (const body of [{ keys: ['_local/a', '_local/none', '_local/c'] }, { keys: ['_local/a', '_local/c'], limit: 1 }, { keys: ['_local/a', '_local/c'], skip: 1 }, { keys: ['_local/c', '_local/a'], descending: true }, { keys: [] }, { keys: ['a'] }, { keys: ['_local/a'], include_docs: true }]) await db.post('/_local_docs', body)
      await db.post('/_local_docs/queries', { queries: [{ keys: ['_local/a', '_local/none'] }, { limit: 1 }] })
    }
  },
  {
    what: 'purges',
    async run (db) {
      const { json: { rev } } = await db.put('/a', {})
      const { json: local } = await db.put('/_local/a', {})
      await db.post('/_purge', { a: [rev], b: [rev] })
      await db.post('/_purge', { '_local/a': [local.rev] })
      await db.get('/_local/a')
      await db.get('/_purged_infos')
      await db.post('/_purge', { '': [rev] })
      await db.post('/_purge', { _x: [rev] })
      await db.post('/_purge', { a: 'x' })
      await db.post('/_purge', { a: ['x'] })
      await db.post('/_purge', [])
      await db.post('/_purge', {})
      await db.get('/_purged_infos')
    }
  },
  {
    what: 'purged_infos of several purges',
    async run (db) {
      const first = await db.put('/a', {})
      const second = await db.put('/b', {})
      await db.post('/_purge', { a: [first.json.rev] })
      await db.post('/_purge', { b: [second.json.rev], none: [`1-${A}`] })
      await db.get('/_purged_infos')
    }
  },
  {
    what: 'all_or_nothing',
    async run (db) {
      await db.put('/a', {})
      await db.post('/_bulk_docs', { all_or_nothing: true, docs: [{ _id: 'b' }, { _id: 'c' }] })
      await db.post('/_bulk_docs', { all_or_nothing: true, docs: [{ _id: 'a' }, { _id: 'd' }] })
      await db.post('/_bulk_docs', { all_or_nothing: 'x', docs: [{ _id: 'e' }] })
      await db.get('/_all_docs')
    }
  },
  {
    what: 'revs_limit',
    async run (db) {
      let rev
      for (let n = 1; n < 6; n++) rev = (await db.put('/a', { n, ...(rev && { _rev: rev }) })).json.rev
      await db.put('/_revs_limit', 2)
      await db.get('/_revs_limit')
      await db.get('/a?revs=true')
      await db.get('/a?revs_info=true')
      await db.get('/a?open_revs=all&revs=true')
      await db.post('/_bulk_get?revs=true', { docs: [{ id: 'a' }] })
      await db.put('/a', { _rev: rev })
      await db.get('/a?revs=true')
      await db.put('/_revs_limit', 0)
      await db.put('/_revs_limit', 'x')
    }
  },
  {
    what: 'changes since impossible sequences',
    async run (db) {
      await db.put('/a', {})
      for (const since of ['0', '1', '9', '999999999999', '-1', 'x', '1-x', '9-x', '1-', '[]', '"0"', '{}', '1.5', '', 'now']) await db.get(`/_changes?since=${encodeURIComponent(since)}`)
    }
  },
  {
    what: 'pending of filters',
    async run (db) {
      for (const id of ['a', 'b', 'c', '_design/d', 'e']) await db.put(`/${id}`, { views: { v: { map: 'function (doc) { emit(doc._id) }' } }, filters: { f: 'function (doc) { return doc._id < "c" }' } })
      for (const query of ['limit=1', 'filter=_design&limit=1', 'filter=_design', 'filter=_view&view=d/v&limit=1', 'filter=d/f&limit=1', 'limit=0', 'limit=2&since=0', 'descending=true&limit=1']) await db.get(`/_changes?${query}`)
      for (const limit of [0, 1, 2, 9]) await db.post(`/_changes?filter=_doc_ids&limit=${limit}`, { doc_ids: ['a', 'c', 'e', 'none'] })
      for (const limit of [4, 9]) await db.post(`/_changes?filter=_selector&limit=${limit}`, { selector: { _id: { $gt: 'b' } } })
    }
  },
  {
    what: '`_changes` with `_selector` and a `limit`',
    differs: true,
    async run (db) {
      for (const id of ['a', 'b']) await db.put(`/${id}`, {})
      for (const limit of [0, 1]) await db.post(`/_changes?filter=_selector&limit=${limit}`, { selector: { _id: { $gt: 'a' } } })
    }
  },
  {
    what: 'changes filtered by views',
    async run (db) {
      await db.post('/_bulk_docs', { new_edits: false, docs: [{ _id: '_design/e', _rev: '1-abc', views: { nomap: { reduce: '_count' } } }] })
      await db.put('/_design/d', { views: { lib: { x: 'exports.a = 1' }, v: { map: 'function (doc) { emit(doc._id) }' } } })
      await db.put('/a', {})
      for (const view of ['d/v', 'e/nomap', 'd/lib/x', 'd/none', 'none/v', 'd', 'd/v/x', '']) await db.get(`/_changes?filter=_view&view=${view}`)
      await db.get('/_changes?filter=_view')
      await db.get('/_changes?filter=_none')
      await db.get('/_changes?filter=d/none')
      await db.get('/_changes?filter=d')
    }
  },
  {
    what: '`filter=_view` with a view that has no map function',
    differs: true,
    async run (db) {
      await db.put('/_design/d', { views: { lib: { x: 'exports.a = 1' } } })
      await db.put('/a', {})
      await db.get('/_changes?filter=_view&view=d/lib')
    }
  },
  {
    what: 'sizes',
    async run (db) {
      for (let i = 0; i < 20; i++) await db.quietly('PUT', `/d${i}`, { text: 'x'.repeat(200) })
      await db.get('')
    }
  },
  {
    what: 'writes that change nothing',
    async run (db) {
      await db.put('/_security', { admins: { names: [], roles: [] } })
      await db.put('/_security', { admins: { names: [], roles: [] } })
      await db.put('/_revs_limit', 500)
      await db.put('/_revs_limit', 500)
      await db.get('/_security')
    }
  },
  {
    what: 'revisions that are there already',
    async run (db) {
      await db.post('/_bulk_docs', branches)
      await db.post('/_bulk_docs', branches)
      await db.put(`/x?new_edits=false&rev=2-${B}`, { _rev: `2-${B}` })
      await db.put('/x?new_edits=false', { _rev: `3-${B}` })
      await db.put('/x?new_edits=false', {})
    }
  },
  {
    what: 'updates that answer with no document',
    async run (db) {
      await db.put('/_design/d', { updates: { none: 'function (doc, req) { return [null, "none"] }' } })
      await db.post('/_design/d/_update/none')
      await db.put('/_design/d/_update/none/x', '')
    }
  },
  {
    what: 'texts of errors in functions',
    differs: true,
    async run (db) {
      await db.put('/_design/d', { shows: { s: 'function (doc, req) { return doc.a.b.c }' } })
      await db.get('/_design/d/_show/s')
    }
  },
  {
    what: 'ids that are no UTF-8',
    differs: true,
    async run (db) {
      await db.put('/%ff', {})
    }
  },
  {
    what: 'ids that are dots',
    async run (db) {
      for (const id of ['.', '..', '%2E', 'a%2Fb', 'a%20b', 'a+b', '...']) {
        await db.put(`/${id}`, { n: 1 })
        await db.get(`/${id}`)
      }
      await db.get('/_all_docs')
    }
  }
]
