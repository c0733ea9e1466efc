'use strict'

/**
 * Writing and reading single documents.
 *
 * @type {Record<string, (context: import('./side').Side) => Promise<any>>}
 */
module.exports = {
  async 'put, update, get, remove' ({ db, ask }) {
    const first = await db.put({ _id: 'a', n: 1 })
    const second = await db.put({ _id: 'a', _rev: first.rev, n: 2 })
    return [
      first, second, await db.get('a'), await db.get('a', { rev: first.rev }), await ask(() => db.get('a', { rev: '1-abc' })),
      await db.remove('a', second.rev), await ask(() => db.get('a')), await ask(() => db.remove('a', second.rev))
    ]
  },
  async 'remove in all its forms' ({ db, ask }) {
    const answers = []
    for (const remove of [
      (doc) => db.remove(doc),
      (doc) => db.remove({ _id: doc._id, _rev: doc._rev, n: 7 }),
      (doc) => db.remove(doc._id, doc._rev),
      (doc) => db.remove(doc, {}),
      (doc) => db.remove(doc._id, doc._rev, {}),
      (doc) => db.put({ ...doc, _deleted: true }),
      (doc) => db.post({ ...doc, _deleted: true })
    ]) {
      const { rev } = await db.put({ _id: 'a', n: 1 })
      const removed = await ask(() => remove({ _id: 'a', _rev: rev, n: 1 }))
      answers.push(removed, await ask(() => db.get('a', { rev: removed.rev })), await ask(() => db.get('a')))
    }
    return answers
  },
  async 'remove refused' ({ db, ask }) {
    await db.put({ _id: 'a' })
    return [
      await ask(() => db.remove('a', '1-x')), await ask(() => db.remove('b', '1-x')),
      await ask(() => db.remove({ _id: 'a' })), await ask(() => db.remove({}))
    ]
  },
  async 'post with and without an id' ({ db, ask }) {
    return [await db.post({ n: 1 }), await db.post({ _id: 'a', n: 2 }), await ask(() => db.post({ _id: 'a' })), await ask(() => db.post([])), await ask(() => db.post('x')), await ask(() => db.post(null))]
  },
  async 'put refused' ({ db, ask }) {
    await db.put({ _id: 'a' })
    const answers = []
    for (const doc of [
      { _id: 'a' }, { _id: 'a', _rev: '1-x' }, { _id: 'b', _rev: '1-x' }, {}, { _id: '' }, { _id: 1 }, { _id: null }, { _id: '_x' }, { _id: 'b', _rev: '' },
      { _id: 'b', _rev: 'x' }, { _id: 'b', _rev: 1 }, { _id: 'b', _rev: null }, { _id: 'b', _rev: '1-a-b' }, { _id: 'b', _foo: 1 },
      { _id: 'b', _zing: undefined, n: 1 }, [], 'x', null, undefined, 1
    ]) answers.push(await ask(() => db.put(doc)))
    return [...answers, await db.info(), await db.allDocs()]
  },
  async 'members with an underscore' ({ db, ask }) {
    const answers = []
    for (const member of ['_revs_info', '_conflicts', '_deleted_conflicts', '_local_seq', '_rev_tree', '_removed', '_access', '_replication_id', '_replication_state', '_replication_stats', '_deleted']) {
      answers.push(member, await ask(() => db.put({ _id: `x${member}`, member, [member]: false })), await ask(() => db.get(`x${member}`)))
    }
    return answers
  },
  async 'force' ({ db, ask }) {
    const { rev } = await db.put({ _id: 'a', n: 1 })
    await db.put({ _id: 'a', _rev: rev, n: 2 })
    const forced = await db.put({ _id: 'a', _rev: rev, n: 3 }, { force: true })
    return [forced.id, forced.ok, forced.rev.slice(0, 2), (await db.get('a', { conflicts: true }))._conflicts.length,
      await ask(() => db.put({ _id: 'b' }, { force: true })), await ask(() => db.put({ _id: 'b', _rev: '1-nothing' }, { force: true }))]
  },
  async 'values as JSON has them' ({ db }) {
    const doc = { _id: 'a', nothing: undefined, nan: NaN, infinite: Infinity, date: new Date(0), list: [undefined, () => 1, null], toJSON: undefined, zero: -0, nested: { a: undefined, b: [[]], 'ü€😀': '\u0000\ud83d\ude00' }, big: 1e300, small: 5e-324 }
    await db.put(doc)
    return [await db.get('a'), (await db.allDocs({ include_docs: true })).rows]
  },
  async 'writing again what was deleted' ({ db, ask }) {
    const { rev } = await db.put({ _id: 'a', n: 1 })
    const removed = await db.remove('a', rev)
    return [
      await ask(() => db.put({ _id: 'a', _rev: rev, n: 2 })), await ask(() => db.put({ _id: 'a', n: 2 })), await db.get('a', { revs: true, revs_info: true }),
      await ask(() => db.put({ _id: 'a', _rev: removed.rev, n: 3 })), (await db.info())
    ]
  },
  async 'deleting what is not there' ({ db, ask }) {
    return [await ask(() => db.put({ _id: 'a', _deleted: true })), await ask(() => db.get('a')), await ask(() => db.bulkDocs([{ _id: 'b', _deleted: true, n: 1 }])), await ask(() => db.put({ _id: 'c', _rev: '1-x', _deleted: true })), await db.info(), (await db.changes()).results]
  },
  async 'get refused' ({ db, ask }) {
    const answers = []
    for (const id of [undefined, null, 1, '', '_x', 'nothing', '_local/nothing', '_design/nothing', {}, []]) answers.push(await ask(() => db.get(id)))
    for (const options of [{ rev: 'x' }, { rev: 1 }, { rev: '' }, { rev: '1-x' }, { rev: '1-x', latest: true }, { open_revs: 'all' }, { open_revs: ['1-x'] }, { open_revs: [] }, { open_revs: 'x' }, { open_revs: ['x'] }, { open_revs: {} }]) {
      answers.push(options, await ask(() => db.get('nothing', options)))
    }
    return answers
  },
  async 'revisions of a tree' ({ db, ask, tree }) {
    await tree('a', '1-a 2-b 3-c', '1-a 2-d', '1-a 2-b 3-e 4-f!')
    const answers = []
    for (const options of [
      {}, { conflicts: true }, { revs: true }, { revs_info: true }, { rev: '2-b', revs: true, revs_info: true, conflicts: true }, { rev: '4-f' }, { rev: '4-f', revs: true, revs_info: true, conflicts: true },
      { rev: '2-d', conflicts: true }, { rev: '3-e', latest: true }, { rev: '3-e' }, { latest: true },
      { open_revs: 'all' }, { open_revs: 'all', revs: true }, { open_revs: ['2-d', '3-c'] }, { open_revs: ['1-a'] }, { open_revs: ['3-e'], latest: true }, { open_revs: ['2-b', '2-b', '9-x'] },
      { open_revs: ['3-c'], revs: true, revs_info: true, conflicts: true }, { revs: true, rev: '2-d' }, { local_seq: true }, { deleted_conflicts: true }
    ]) answers.push(options, sortOpen(await ask(() => db.get('a', options))))
    return answers
  },
  async 'a document whose winner is deleted' ({ db, ask, tree }) {
    await tree('a', '1-a 2-b!', '1-a 2-c!')
    return [await ask(() => db.get('a')), await ask(() => db.get('a', { rev: '2-c' })), await ask(() => db.get('a', { rev: '2-b', conflicts: true, revs: true })), sortOpen(await ask(() => db.get('a', { open_revs: 'all' }))), await ask(() => db.get('a', { latest: true }))]
  },
  async 'local documents' ({ db, ask }) {
    const answers = []
    const { rev } = await db.put({ _id: '_local/a', n: 1, _foo: 1, _attachments: { f: { data: 'eA==', content_type: 'a/b' } } })
    answers.push(rev, await db.get('_local/a'), await ask(() => db.put({ _id: '_local/a', n: 2 })), await ask(() => db.put({ _id: '_local/a', _rev: rev, n: 2 })))
    answers.push(await db.get('_local/a', { revs: true, conflicts: true, rev: '1-x', attachments: true }), await ask(() => db.get('_local/a', { open_revs: 'all' })))
    answers.push(await ask(() => db.put({ _id: '_local/b', _rev: '0-1' })), await ask(() => db.put({ _id: '_local/b', _rev: 'x' })), await ask(() => db.post({ _id: '_local/c', n: 1 })), await db.get('_local/c'))
    answers.push(await ask(() => db.bulkDocs([{ _id: '_local/d', _x: 1 }, { _id: 'e' }])), await db.get('_local/d'))
    answers.push(await ask(() => db.remove('_local/a', '0-2')), await ask(() => db.get('_local/a')), await ask(() => db.remove('_local/a', '0-2')), await ask(() => db.remove('_local/x', '0-1')))
    answers.push(await ask(() => db.put({ _id: '_local/c', _rev: '0-1', _deleted: true })), await ask(() => db.get('_local/c')), await db.info(), (await db.allDocs()).rows, (await db.changes()).results)
    answers.push(await ask(() => db.getAttachment('_local/d', 'f')), await ask(() => db.bulkGet({ docs: [{ id: '_local/d' }] })), (await db.allDocs({ keys: ['_local/d'] })).rows)
    return answers
  },
  async 'callbacks and promises' ({ db, callback }) {
    return [
      await callback((done) => db.put({ _id: 'a' }, done)), await callback((done) => db.put({ _id: 'a' }, {}, done)), await callback((done) => db.get('a', done)), await callback((done) => db.get('b', {}, done)),
      await callback((done) => db.post({ _id: 'c', n: 1 }, done)), await callback((done) => db.bulkDocs([{ _id: 'd', n: 2 }], done)), await callback((done) => db.bulkDocs({ docs: [{ _id: 'e', n: 3 }] }, {}, done)),
      await callback((done) => db.allDocs(done)), await callback((done) => db.allDocs({ limit: 1 }, done)), await callback((done) => db.info(done)), await callback((done) => db.changes({}, done)),
      await callback((done) => db.revsDiff({ a: ['1-x'] }, done)), await callback((done) => db.bulkGet({ docs: [{ id: 'd' }] }, done)), await callback((done) => db.compact(done)), await callback((done) => db.compact({}, done)), await callback((done) => db.viewCleanup(done)),
      await callback((done) => db.close(done)), await callback((done) => db.get('a', done)), await callback((done) => db.close(done))
    ]
  }
}

/** Leaves come in any order. */
function sortOpen (answer) {
  if (!Array.isArray(answer)) return answer
  return [...answer].sort((a, b) => revOf(a) < revOf(b) ? -1 : 1)
}

function revOf ({ ok, missing }) {
  return ok?._rev ?? missing
}
