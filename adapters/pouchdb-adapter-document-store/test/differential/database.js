'use strict'

/**
 * The database as a whole.
 *
 * @type {Record<string, (context: import('./side').Side) => Promise<any>>}
 */
module.exports = {
  async 'info' ({ db }) {
    const answers = [await db.info()]
    await db.bulkDocs([{ _id: 'a', n: 1 }, { _id: 'b', n: 2 }])
    await db.remove(await db.get('a'))
    return [...answers, await db.info(), typeof await db.id()]
  },
  async 'compact' ({ db, ask, tree }) {
    const { rev } = await db.put({ _id: 'a', n: 1 })
    await db.put({ _id: 'a', _rev: rev, n: 2 })
    await tree('b', '1-a 2-b 3-c', '1-a 2-d')
    const before = await db.info()
    const answers = [before, await db.compact(), await db.info(), await ask(() => db.get('a', { rev })), await db.get('a', { revs: true, revs_info: true }), await db.get('b', { rev: '2-d' }), await ask(() => db.get('b', { rev: '2-b' })), await db.get('b', { revs_info: true, conflicts: true })]
    return [...answers, await ask(() => db.get('b', { open_revs: ['1-a', '2-d'] })), await ask(() => db.bulkGet({ docs: [{ id: 'a', rev }] })), await ask(() => db.compactDocument('a', 0)), await ask(() => db.compactDocument('nothing', 0))]
  },
  async 'how far it was compacted' ({ db, ask }) {
    const answers = []
    for (const _id of ['a', 'b']) {
      await db.put({ _id })
      answers.push(await ask(() => db.get('_local/compaction')), await db.compact(), await db.compact(), await db.get('_local/compaction'))
    }
    return answers
  },
  async 'auto_compaction' ({ open, ask }) {
    const db = open({ auto_compaction: true })
    const { rev } = await db.put({ _id: 'a', n: 1 })
    const second = await db.put({ _id: 'a', _rev: rev, n: 2 })
    for (const [_rev, ...ids] of [['1-a', 'a'], ['2-b', 'b', 'a'], ['2-c', 'c', 'a']]) {
      await db.bulkDocs([{ _id: 'b', _rev, _revisions: { start: ids.length, ids } }], { new_edits: false })
    }
    return [
      await ask(() => db.get('a', { rev })), await db.get('a', { revs_info: true, revs: true }), await ask(() => db.get('b', { rev: '1-a' })), await db.get('b', { conflicts: true, revs_info: true }), await db.get('b', { rev: '2-b' }),
      await db.remove('a', second.rev), await ask(() => db.get('a', { rev: second.rev })), (await db.info()).update_seq
    ]
  },
  async 'auto_compaction of what was written without' ({ db, open, name, ask }) {
    const first = await db.put({ _id: 'a', n: 1 })
    const second = await db.put({ _id: 'a', _rev: first.rev, n: 2 })
    const other = await db.put({ _id: 'b', n: 11 })
    await db.put({ _id: 'b', _rev: other.rev, n: 12 })
    const compacting = open({ auto_compaction: true }, name)
    await compacting.put({ _id: 'a', _rev: second.rev, n: 3 })
    const answers = [await ask(() => db.get('a', { rev: first.rev })), await ask(() => db.get('a', { rev: second.rev })), await ask(() => db.get('b', { rev: other.rev }))]
    const third = await db.put({ _id: 'c', n: 21 })
    await db.put({ _id: 'c', _rev: third.rev, n: 22 })
    return [...answers, await ask(() => db.get('c', { rev: third.rev }))]
  },
  async 'revs_limit' ({ open, ask }) {
    const db = open({ revs_limit: 3 })
    let rev
    const revs = []
    for (let n = 0; n < 6; n++) revs.push(rev = (await db.put({ _id: 'a', _rev: rev, n })).rev)
    const answers = [await db.get('a', { revs: true, revs_info: true })]
    for (const rev of revs) answers.push(await ask(() => db.get('a', { rev })))
    return [...answers, await db.revsDiff({ a: revs })]
  },
  async 'revs_limit of one instance of two' ({ db, open, name, ask }) {
    const limited = open({ revs_limit: 2 }, name)
    const write = async (db, id) => {
      let rev
      for (let n = 0; n < 4; n++) rev = (await db.put({ _id: id, _rev: rev, id, n })).rev
    }
    await write(db, 'a')
    await write(limited, 'b')
    const answers = [(await db.get('a', { revs: true }))._revisions, (await db.get('b', { revs: true }))._revisions]
    const { _rev } = await db.get('a')
    await limited.put({ _id: 'a', _rev, n: 9 })
    return [...answers, (await db.get('a', { revs: true }))._revisions]
  },
  async 'random revisions' ({ open, ask }) {
    const db = open({ deterministic_revs: false })
    const { rev } = await db.put({ _id: 'a', n: 1 })
    const other = open({ deterministic_revs: false })
    return [rev.length, (await other.put({ _id: 'a', n: 1 })).rev === rev]
  },
  async 'after close' ({ db, ask }) {
    await db.put({ _id: 'a' })
    const answers = [await ask(() => db.close())]
    for (const call of [() => db.get('a'), () => db.put({ _id: 'b' }), () => db.post({}), () => db.bulkDocs([]), () => db.allDocs(), () => db.info(), () => db.remove('a', '1-x'), () => db.compact(), () => db.revsDiff({}), () => db.bulkGet({ docs: [] }), () => db.getAttachment('a', 'x'), () => db.putAttachment('a', 'x', '', 'a/b'), () => db.removeAttachment('a', 'x', '1-x'), () => db.destroy(), () => db.id()]) {
      answers.push(await ask(call))
    }
    return answers
  },
  async 'after destroy' ({ db, ask, open, name }) {
    await db.put({ _id: 'a' })
    const answers = [await ask(() => db.destroy())]
    for (const call of [() => db.get('a'), () => db.put({ _id: 'b' }), () => db.allDocs(), () => db.info(), () => db.destroy(), () => db.close()]) answers.push(await ask(call))
    const again = open({}, name)
    return [...answers, await again.info()]
  },
  async 'two instances' ({ db, ask, open, name, seen }) {
    const other = open({}, name)
    const feed = other.changes({ live: true, include_docs: true })
    const changes = seen(feed, ({ id }) => id === 'b')
    await db.put({ _id: 'a', n: 1 })
    await db.bulkDocs([{ _id: 'b', n: 2 }])
    const list = await changes
    feed.cancel()
    const events = []
    for (const [who, instance] of [['db', db], ['other', other]]) {
      for (const event of ['destroyed', 'closed']) instance.on(event, () => events.push(`${who} ${event}`))
    }
    const gone = new Promise((resolve) => other.once('destroyed', resolve))
    await db.destroy()
    await gone
    return [list, events.sort()]
  },
  async 'events of instances and of the constructor' ({ PouchDB, open, newName }) {
    const events = []
    const name = newName()
    const listeners = ['created', 'destroyed'].map((event) => [event, (which) => { if (which === name) events.push(`PouchDB ${event}`) }])
    for (const [event, listener] of listeners) PouchDB.on(event, listener)
    const db = open({}, name)
    db.on('created', (which) => events.push(`db created ${which === db}`))
    db.on('destroyed', () => events.push('db destroyed'))
    await db.info()
    await db.destroy()
    for (const [event, listener] of listeners) PouchDB.removeListener(event, listener)
    return events
  },
  async 'replication and its events' ({ db, open }) {
    await db.bulkDocs([{ _id: 'a', n: 1 }, { _id: 'b', _attachments: { x: { data: 'eA==', content_type: 'a/b' } } }, { _id: '_local/l' }])
    await db.remove(await db.get('a'))
    const target = open({})
    const events = []
    const replication = db.replicate.to(target)
    for (const name of ['change', 'paused', 'active', 'denied', 'complete', 'error']) replication.on(name, () => events.push(name))
    const { docs_read: read, docs_written: written, last_seq: last, ok, errors, status } = await replication
    const again = await db.replicate.to(target)
    return [events, { read, written, last, ok, errors, status }, [again.docs_read, again.docs_written, again.last_seq], (await target.allDocs({ include_docs: true, attachments: true })).rows, (await target.info()).doc_count]
  },
  async 'live replication pauses and goes on' ({ db, open }) {
    const target = open({})
    await db.put({ _id: 'a' })
    const replication = db.replicate.to(target, { live: true })
    const events = []
    for (const name of ['change', 'active', 'paused', 'complete', 'error']) replication.on(name, () => events.push(name))
    await new Promise((resolve) => replication.once('paused', resolve))
    const paused = new Promise((resolve) => replication.on('change', () => replication.once('paused', resolve)))
    await db.put({ _id: 'b' })
    await paused
    replication.cancel()
    const { status, ok } = await replication
    return [events, status, ok, (await target.allDocs()).rows.length]
  },
  async 'views are cleaned up' ({ db, ask }) {
    await db.bulkDocs([{ _id: 'a', n: 1 }, { _id: '_design/v', views: { v: { map: 'function (doc) { emit(doc.n) }', reduce: '_count' } } }])
    const answers = [await db.query('v'), await db.query('v/v', { reduce: false }), await db.viewCleanup()]
    await db.remove(await db.get('_design/v'))
    return [...answers, await db.viewCleanup(), await ask(() => db.query('v'))]
  }
}
