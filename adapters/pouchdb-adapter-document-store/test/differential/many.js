'use strict'

/**
 * Writing and reading many documents at once.
 *
 * @type {Record<string, (context: import('./side').Side) => Promise<any>>}
 */
module.exports = {
  async 'bulkDocs' ({ db, ask }) {
    const { rev } = await db.put({ _id: 'a' })
    return [
      await ask(() => db.bulkDocs([{ _id: 'a' }, { _id: 'b', n: 1 }, { _id: 'b', n: 2 }, { n: 3 }, { _id: 'a', _rev: rev, _deleted: true }, { _id: 'c', _deleted: true, n: 4 }])),
      await ask(() => db.bulkDocs({ docs: [{ _id: 'd', n: 5 }] })), await ask(() => db.bulkDocs([])), await ask(() => db.bulkDocs({ docs: [] })),
      await ask(() => db.bulkDocs(null)), await ask(() => db.bulkDocs({})), await ask(() => db.bulkDocs('x')), await ask(() => db.bulkDocs({ docs: 'x' })),
      await ask(() => db.bulkDocs([{ _id: 'e' }, null])), await ask(() => db.bulkDocs([{ _id: 'e' }, { _id: 1 }])), await ask(() => db.bulkDocs([{ _id: 'e' }, { _foo: 1 }])), await ask(() => db.bulkDocs([{ _id: 'e' }, { _rev: 'x' }])),
      (await db.allDocs({ keys: ['a', 'b', 'c', 'd', 'e'] })).rows, await db.info()
    ]
  },
  async 'bulkDocs with new_edits false' ({ db, ask }) {
    const old = { new_edits: false }
    return [
      await ask(() => db.bulkDocs([{ _id: 'a', _rev: '1-a' }, { _id: 'b', _rev: '1-b' }], old)), await ask(() => db.bulkDocs([{ _id: 'a', _rev: '1-b' }], old)), await ask(() => db.bulkDocs([{ _id: 'a', _rev: '1-a', changed: true }], old)), await db.get('a', { conflicts: true }),
      await ask(() => db.bulkDocs({ docs: [{ _id: 'b', _rev: '3-c', _revisions: { start: 3, ids: ['c', 'b'] } }], new_edits: false })), await db.get('b', { revs: true, revs_info: true }),
      await ask(() => db.bulkDocs([{ _id: 'c' }], old)), await ask(() => db.bulkDocs([{ _rev: '1-a' }], old)), await ask(() => db.put({ _id: 'd', _rev: '2-x' }, old)), await ask(() => db.post({ _id: 'e', _rev: '2-x' }, old)),
      await ask(() => db.bulkDocs([{ _id: 'f', _rev: '2-x', _deleted: true }, { _id: 'g', _rev: '1-x' }, { _id: 'g', _rev: '1-x' }], old)), (await db.changes()).results, await db.info()
    ]
  },
  async 'allDocs with every option' ({ db, ask, tree }) {
    await db.bulkDocs(['a', 'b', 'c', 'd', 'e', 'Z', 'é', '10', '9', 'a/b', '_design/x'].map((_id) => ({ _id, n: _id })))
    await db.remove(await db.get('c'))
    await tree('conflict', '1-a', '1-b')
    const answers = []
    for (const options of [
      {}, { include_docs: true }, { include_docs: true, conflicts: true }, { conflicts: true }, { limit: 2 }, { limit: 0 }, { limit: '2' }, { limit: null }, { limit: undefined }, { skip: 2 }, { skip: 2, limit: 1 }, { skip: 100 }, { skip: 0, limit: 0 },
      { startkey: 'b' }, { endkey: 'b' }, { startkey: 'b', endkey: 'd' }, { start_key: 'b', end_key: 'd' }, { startkey: 'b', endkey: 'd', inclusive_end: false }, { endkey: 'b', inclusive_end: false, descending: true }, { startkey: 'd', endkey: 'b' },
      { descending: true }, { descending: true, startkey: 'd', endkey: 'b' }, { descending: true, startkey: 'b', endkey: 'd' }, { descending: true, limit: 2, skip: 1 }, { descending: true, startkey: 'd', endkey: 'b', inclusive_end: false },
      { key: 'a' }, { key: 'c' }, { key: 'nothing' }, { key: 'a', include_docs: true }, { key: 'a', inclusive_end: false }, { key: 'a', descending: true }, { key: 'a', limit: 0 }, { key: 'a', skip: 1 }, { key: '' }, { key: null }, { key: undefined },
      { keys: ['d', 'a', 'nothing', 'c', 'd'] }, { keys: ['d', 'a', 'nothing', 'c'], include_docs: true }, { keys: ['a', 'b', 'd'], descending: true }, { keys: ['a', 'b', 'd'], limit: 2 }, { keys: ['a', 'b', 'd'], skip: 1 }, { keys: ['a', 'b', 'd'], skip: 1, limit: 1 },
      { keys: ['conflict'], include_docs: true, conflicts: true }, { keys: ['a'], startkey: 'a' }, { keys: ['a'], endkey: 'a' }, { keys: ['a'], key: 'a' }, { keys: 'a' }, { keys: ['a'], update_seq: true }, { keys: ['_x'] },
      { update_seq: true }, { update_seq: true, limit: 1 }, { update_seq: false }, { startkey: 'a', endkey: 'a\ufff0' }, { startkey: '_design/', endkey: '_design/\uffff' }, { startkey: null, endkey: undefined }, { startkey: '', endkey: '' }, { startkey: 'zz' }, { inclusive_end: false }
    ]) answers.push(options, await ask(() => db.allDocs(options)))
    return answers
  },
  async 'bulkGet' ({ db, ask, tree }) {
    await tree('a', '1-a 2-b 3-c', '1-a 2-d!')
    await db.put({ _id: 'b', _attachments: { f: { data: 'eA==', content_type: 'a/b' } } })
    const { _rev: rev } = await db.get('b')
    const answers = []
    for (const options of [
      { docs: [{ id: 'a' }] }, { docs: [{ id: 'a' }], revs: true }, { docs: [{ id: 'a', rev: '2-b' }, { id: 'b' }, { id: 'a', rev: '3-c' }] }, { docs: [{ id: 'a', rev: '2-b' }], latest: true }, { docs: [{ id: 'nothing' }] }, { docs: [{ id: 'a', rev: '9-x' }] },
      { docs: [{ id: 'nothing', rev: '1-x' }] }, { docs: [{ id: 'b', rev }], attachments: true }, { docs: [{ id: 'a', rev: '2-d' }] }, { docs: [{ id: 'b' }], attachments: true }, { docs: [{ id: 'a', rev: 'x' }] }
    ]) answers.push(options, await ask(() => db.bulkGet(options)))
    return [...answers, await ask(() => db.bulkGet({ docs: [{}] })), await ask(() => db.bulkGet({ docs: [{ id: 1 }] }))]
  },
  async 'revsDiff' ({ db, ask, tree }) {
    await tree('a', '1-a 2-b 3-c', '1-a 2-d!')
    return [
      await db.revsDiff({ a: ['1-a', '2-b', '3-c', '2-d', '9-x'], b: ['1-y', '2-z'] }), await db.revsDiff({}), await db.revsDiff({ a: ['3-c'] }), await db.revsDiff({ a: [] }), await db.revsDiff({ '': ['1-a'] })
    ]
  }
}
