'use strict'

/**
 * @type {Record<string, (context: import('./side').Side) => Promise<any>>}
 */
module.exports = {
  async 'changes with every option' ({ db, ask, tree }) {
    await db.bulkDocs(['a', 'b', 'c', 'd', '_design/x'].map((_id, n) => ({ _id, n })))
    await db.remove(await db.get('b'))
    await tree('conflict', '1-a', '1-b', '1-c!')
    await db.put({ ...await db.get('a'), n: 10 })
    const answers = []
    for (const options of [
      {}, { since: 0 }, { since: 3 }, { since: 'now' }, { since: 100 }, { since: -1 }, { since: null }, { limit: 2 }, { limit: 0 }, { limit: 1, since: 2 }, { descending: true }, { descending: true, limit: 2 }, { descending: true, since: 3 },
      { include_docs: true }, { include_docs: true, conflicts: true }, { conflicts: true }, { style: 'main_only' }, { return_docs: false }, { return_docs: false, limit: 1 }, { batch_size: 2 }, { batch_size: 1, limit: 3 },
      { doc_ids: ['a', 'conflict', 'nothing'] }, { doc_ids: ['a', 'b'], include_docs: true }, { doc_ids: ['a'], since: 8 }, { doc_ids: ['a', 'd'], limit: 1 }, { doc_ids: ['a', 'c', 'd'], descending: true }, { doc_ids: 'a' },
      { selector: { n: { $gt: 2 } } }, { selector: { n: { $gt: 2 } }, limit: 1 }, { selector: { n: 3 }, include_docs: true }, { selector: {} }, { selector: { _id: 'a' } }, { selector: { n: { $nonsense: 1 } } }, { selector: 'x' },
      { filter: (doc) => doc.n > 2 }, { filter: (doc) => doc.n > 2, limit: 1 }, { filter: (doc) => doc._deleted }, { filter: (doc, req) => doc.n === req.query.n, query_params: { n: 3 } }, { filter: () => false }, { filter: () => { throw new Error('no') } }, { filter: 'x' }, { filter: 'x/y' }, { filter: '_view' }, { filter: '_view', view: 'x/y' },
      { filter: (doc) => doc.n > 2, descending: true, limit: 1 }, { seq_interval: 2 }, { heartbeat: true }, { heartbeat: 100, timeout: 100 }, { timeout: false }, { update_seq: true }, { attachments: true }
    ]) answers.push(Object.entries(options).map(String), await ask(() => db.changes(options)))
    return answers
  },
  async 'events of changes' ({ db, tree }) {
    await db.bulkDocs(['a', 'b', 'c'].map((_id, n) => ({ _id, n })))
    const seen = []
    const feed = db.changes({ include_docs: true, limit: 2 })
    for (const name of ['change', 'complete', 'error', 'paused', 'active', 'denied']) feed.on(name, (...args) => seen.push([name, args]))
    const result = await feed
    return [seen, result]
  },
  async 'functions of design documents' ({ db, ask }) {
    await db.bulkDocs([{ _id: 'a', n: 1 }, { _id: 'b', n: 2 }, {
      _id: '_design/d',
      filters: { big: 'function (doc, req) { return doc.n > (req.query.n || 1) }', bad: 'nonsense(', throws: 'function () { throw new Error("no") }', d: 'function (doc) { return doc.n === 1 }' },
      views: { some: { map: 'function (doc) { if (doc.n === 2) emit(doc.n) }' }, throws: { map: 'function () { throw new Error("no") }' }, none: {} }
    }])
    const answers = []
    for (const options of [{ filter: 'd/big' }, { filter: 'd/big', query_params: { n: 2 } }, { filter: 'd' }, { filter: 'd/none' }, { filter: 'none/x' }, { filter: '_view', view: 'd/some' }, { filter: '_view', view: 'd/none' }, { filter: '_view', view: 'd/nothing' }, { filter: '_view', view: 'nothing' }, { filter: 'd/throws' }, { filter: '_view', view: 'd/throws' }]) {
      answers.push(options, await ask(() => db.changes(options)))
    }
    return answers
  },
  async 'live changes' ({ db, seen }) {
    await db.bulkDocs([{ _id: 'a', n: 1 }, { _id: 'b', n: 2 }])
    const answers = []
    let count = 0
    for (const options of [{}, { since: 1 }, { since: 'now' }, { include_docs: true }, { doc_ids: ['c5', 'c6'] }, { filter: (doc) => doc._id.startsWith('c') }, { style: 'all_docs' }, { selector: { _id: { $gt: 'b' } } }, { return_docs: false }]) {
      const id = `c${++count}`
      const feed = db.changes({ live: true, ...options })
      const changes = seen(feed, (change) => change.id === id)
      await db.put({ _id: id, count })
      const list = await changes
      feed.cancel()
      answers.push(Object.keys(options), list.map(({ id, changes, deleted, doc }) => [id, changes, deleted, doc]), await feed)
    }
    return answers
  }
}
