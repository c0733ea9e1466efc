'use strict'

const text = (content, type = 'text/plain') => ({ content_type: type, data: Buffer.from(content).toString('base64') })

/**
 * @type {Record<string, (context: import('./side').Side) => Promise<any>>}
 */
module.exports = {
  async 'attachments inline' ({ db, ask }) {
    const { rev } = await db.put({ _id: 'a', _attachments: { 'x.txt': text('hello'), 'y/z é.bin': text('', 'application/octet-stream') } })
    const doc = await db.get('a')
    const second = await db.put({ ...doc, n: 2 })
    const answers = [rev, doc, await db.get('a', { attachments: true }), await db.get('a', { attachments: true, binary: true }), await db.get('a', { rev, attachments: true })]
    const third = await db.put({ _id: 'a', _rev: second.rev, _attachments: { 'x.txt': doc._attachments['x.txt'], new: text('new') } })
    answers.push(await db.get('a'), await db.get('a', { attachments: true }), await db.put({ _id: 'a', _rev: third.rev }), await db.get('a'))
    for (const options of [{ include_docs: true }, { include_docs: true, attachments: true }, { include_docs: true, attachments: true, binary: true }, { attachments: true }]) {
      answers.push((await db.allDocs(options)).rows, (await db.changes(options)).results)
    }
    return answers
  },
  async 'attachments read back in every way' ({ db, ask }) {
    await db.put({ _id: 'a', _attachments: { x: text('hello'), y: { content_type: 'image/png', data: Buffer.from([0, 255, 128]) } } })
    const answers = []
    for (const options of [{ include_docs: true }, { include_docs: true, attachments: true }, { include_docs: true, attachments: true, binary: true }, { attachments: true }, { include_docs: true, binary: true }]) {
      answers.push((await db.allDocs(options)).rows, (await db.allDocs({ ...options, keys: ['a'] })).rows, (await db.changes(options)).results)
    }
    answers.push(await db.get('a', { open_revs: 'all', attachments: true }), await db.get('a', { open_revs: 'all' }), await db.get('a', { binary: true }))
    return answers
  },
  async 'putAttachment, getAttachment, removeAttachment' ({ db, ask }) {
    const first = await db.putAttachment('a', 'x', Buffer.from('hello'), 'text/plain')
    const second = await db.putAttachment('a', 'x', first.rev, Buffer.from('good bye').toString('base64'), 'text/x')
    const third = await db.putAttachment('a', 'y', second.rev, Buffer.from('why'), 'text/y')
    return [
      first, second, third, await db.get('a'), await db.getAttachment('a', 'x'), await db.getAttachment('a', 'x', { rev: first.rev }), await db.getAttachment('a', 'y'),
      await ask(() => db.getAttachment('a', 'y', { rev: first.rev })), await ask(() => db.getAttachment('a', 'z')), await ask(() => db.getAttachment('b', 'x')), await ask(() => db.getAttachment('a', 'x', { rev: '1-nothing' })),
      await ask(() => db.putAttachment('a', 'x', Buffer.from('x'), 'text/plain')), await ask(() => db.putAttachment('a', 'x', first.rev, Buffer.from('x'), 'text/plain')), await ask(() => db.putAttachment('b', 'x', '1-x', Buffer.from('x'), 'text/plain')),
      await ask(() => db.removeAttachment('a', 'x', first.rev)), await ask(() => db.removeAttachment('a', 'nothing', third.rev)), await ask(() => db.removeAttachment('b', 'x', '1-x')), await db.get('a')
    ]
  },
  async 'removeAttachment' ({ db, ask }) {
    const { rev } = await db.put({ _id: 'a', n: 1, _attachments: { x: text('x'), y: text('y') } })
    const second = await db.removeAttachment('a', 'x', rev)
    const answers = [second, await db.get('a'), await ask(() => db.getAttachment('a', 'x')), await db.getAttachment('a', 'x', { rev })]
    return [...answers, await db.removeAttachment('a', 'y', second.rev), await db.get('a')]
  },
  async 'attachments refused' ({ db, ask }) {
    const answers = []
    for (const attachments of [
      { x: { content_type: 'a/b', data: '#' } }, { _x: text('x') }
    ]) answers.push(await ask(() => db.put({ _id: 'a', _attachments: attachments })), (await db.info()).doc_count)
    return answers
  },
  async 'putAttachment refused' ({ db, ask }) {
    return [
      await ask(() => db.putAttachment('a', '_x', Buffer.from('x'), 'a/b')), await ask(() => db.putAttachment(undefined, 'x', Buffer.from('x'), 'a/b'))
    ]
  },
  async 'attachments replicated' ({ db, ask }) {
    const old = { new_edits: false }
    const attachment = (content, revpos) => ({ ...text(content), revpos })
    const stub = { stub: true, revpos: 3, content_type: 'text/plain', digest: 'md5-ndTkYSaMgDT1yFZOFVxnpg==', length: 1 }
    await db.bulkDocs([{ _id: 'a', _rev: '3-c', _revisions: { start: 3, ids: ['c', 'b', 'a'] }, _attachments: { x: attachment('x', 3), y: text('y') } }], old)
    await db.bulkDocs([{ _id: 'a', _rev: '4-d', _revisions: { start: 4, ids: ['d', 'c'] }, _attachments: { x: stub } }], old)
    return [await db.get('a'), await db.get('a', { attachments: true }), await ask(() => db.get('a', { rev: '3-c', attachments: true }))]
  },
  async 'attachments of a deleted document' ({ db, ask }) {
    const { rev } = await db.put({ _id: 'a', _attachments: { x: text('x') } })
    const removed = await db.put({ ...await db.get('a'), _deleted: true })
    return [await db.get('a', { rev: removed.rev }), await ask(() => db.getAttachment('a', 'x')), await ask(() => db.getAttachment('a', 'x', { rev })), await ask(() => db.getAttachment('a', 'x', { rev: removed.rev }))]
  },
  async 'attachments of conflicts' ({ db, ask }) {
    const old = { new_edits: false }
    await db.bulkDocs([{ _id: 'a', _rev: '1-a', _attachments: { x: text('one') } }, { _id: 'a', _rev: '1-b', _attachments: { x: text('two') } }], old)
    return [await db.get('a', { attachments: true }), await db.get('a', { rev: '1-a', attachments: true }), await db.getAttachment('a', 'x'), await db.getAttachment('a', 'x', { rev: '1-a' }), await db.get('a', { open_revs: ['1-a', '1-b'], attachments: true })]
  },
  async 'compaction keeps what is used' ({ db, ask }) {
    const { rev } = await db.put({ _id: 'a', _attachments: { x: text('same'), y: text('old') } })
    await db.put({ _id: 'b', _attachments: { x: text('old') } })
    const doc = await db.get('a')
    delete doc._attachments.y
    await db.put(doc)
    const answers = [await db.compact(), await ask(() => db.getAttachment('a', 'y', { rev })), await db.getAttachment('a', 'x'), await db.getAttachment('b', 'x')]
    return [...answers, await ask(() => db.get('a', { rev })), await db.get('a', { revs_info: true })]
  }
}
