'use strict'

const attached = { _attachments: { 'a.txt': { data: 'aGVsbG8=', content_type: 'text/plain' } } }

/** A database with documents whose ids are odd. */
async function fill (db) {
  await db.create('-target')
  for (const id of ['.', '..', 'a+b', 'a b', 'a/b', 'plain']) await db.quietly('PUT', `/${encodeURIComponent(id)}`, { n: 1, ...attached })
}

/** Replicates, and keeps what both servers say: `docs_written` and whether there were changes. */
async function replicate (db, options = {}) {
  await db.summed('/_replicate', { source: db.url(), target: db.url('-target'), ...options }, ({ ok, no_changes: none, history }) => ({ ok, none, written: history?.[0].docs_written }))
}

/** @type {import('../support/case').Case[]} */
module.exports = [
  {
    what: 'replications of doc_ids',
    async run (db) {
      await fill(db)
      await replicate(db, { doc_ids: ['a+b', 'a%2Fb', 'plain', 'none'] })
      await db.get('-target/_all_docs')
    }
  },
  {
    what: 'replications of ids that are dots',
    async run (db) {
      await fill(db)
      await replicate(db)
      await replicate(db)
      await db.get('-target/_all_docs')
    }
  },
  {
    what: 'query_params of replications',
    async run (db) {
      await fill(db)
      await db.put('/_design/d', { filters: { f: 'function (doc, req) { return doc.n == req.query.n }' } })
      for (const n of [1, '1', true, null, 1.5]) await replicate(db, { filter: 'd/f', query_params: { n } })
      await db.get('-target/_all_docs')
    }
  },
  {
    what: 'refused replications',
    async run (db) {
      const [source, target] = [db.url(), db.url()]
      for (const body of [
        { source: db.url('-none'), target }, { source, target: db.url('-none') }, { source, target, doc_ids: 'x' }, { source, target, selector: 5 },
        { source, target, continuous: 'x' }, { source, target, doc_ids: [], filter: 'a/b' }, { source, target, query_params: 5 }
      ]) await db.server('POST', '/_replicate', body)
    }
  },
  {
    what: 'replications that lack a source or a target',
    differs: true,
    async run (db) {
      for (const body of [{}, { source: db.url() }, { target: db.url() }]) await db.server('POST', '/_replicate', body)
    }
  },
  {
    what: 'filters of replications that are no names',
    differs: true,
    async run (db) {
      await db.server('POST', '/_replicate', { source: db.url(), target: db.url(), filter: 'x' })
    }
  },
  {
    what: 'databases of replications that are names',
    differs: true,
    async run (db) {
      await db.server('POST', '/_replicate', { source: 'x', target: db.url() })
    }
  },
  {
    what: 'counters of replications with attachments',
    differs: true,
    async run (db) {
      await fill(db)
      await db.server('POST', '/_replicate', { source: db.url(), target: db.url('-target') })
    }
  },
  {
    what: '`source_last_seq` of filtered replications',
    differs: true,
    async run (db) {
      await fill(db)
      await db.quietly('PUT', '/last', { n: 2 })
      await db.server('POST', '/_replicate', { source: db.url(), target: db.url('-target'), selector: { n: 1 } })
    }
  }
]
