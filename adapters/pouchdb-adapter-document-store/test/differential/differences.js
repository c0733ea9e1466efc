'use strict'

const sorted = (answer) => answer.map(({ ok }) => ok._rev).sort()
const codes = (answer) => answer.map(({ refused, ok }) => refused?.status ?? ok)
const missing = { status: 404, name: 'not_found', message: 'missing', reason: undefined }

/**
 * Cases that PouchDB's own adapter answers otherwise, and we stay with CouchDB or with what makes sense.
 *
 * @type {Array<{ title: string, run: (side: import('./side').Side) => Promise<any>, ours: any }>}
 */
const differences = [
  {
    title: 'ids that CouchDB refuses are refused here too',
    run: async ({ db, ask }) => codes(await Promise.all(['_design', '_local', '_design/', '_local/'].map((_id) => ask(() => db.put({ _id }))))),
    ours: [400, 400, 400, 400]
  },
  {
    title: 'equal documents of other ids have equal revisions',
    run: async ({ db }) => (await db.bulkDocs([{ _id: 'a' }, { _id: 'b' }])).map(({ rev }) => rev),
    ours: ['1-#1', '1-#1']
  },
  {
    title: 'no attachments at all are none',
    async run ({ db }) {
      await db.put({ _id: 'a', _attachments: {} })
      return Object.keys(await db.get('a'))
    },
    ours: ['_id', '_rev']
  },
  {
    title: 'the latest revision is the winner among those that follow',
    async run ({ db, tree }) {
      await tree('a', '1-a 2-b 3-c', '1-a 2-d', '1-a 2-b 3-e 4-f!')
      const { results } = await db.bulkGet({ docs: [{ id: 'a', rev: '1-a' }], latest: true })
      return [(await db.get('a', { rev: '1-a', latest: true }))._rev, (await db.get('a', { rev: '2-b', latest: true }))._rev, results[0].docs[0].ok._rev]
    },
    ours: ['3-c', '3-c', '3-c']
  },
  {
    title: 'open_revs with latest gives all leaves that follow',
    async run ({ db, tree }) {
      await tree('a', '1-a 2-b 3-c', '1-a 2-d')
      return sorted(await db.get('a', { open_revs: ['1-a'], latest: true }))
    },
    ours: ['2-d', '3-c']
  },
  {
    title: 'the second of two edits of a local document in one bulkDocs is in conflict',
    run: async ({ db }) => (await db.bulkDocs([{ _id: '_local/a', n: 1 }, { _id: '_local/a', n: 2 }])).map(({ ok, status }) => ok ?? status),
    ours: [true, 409]
  },
  {
    title: 'removing a local document with another revision finds none, as in CouchDB',
    async run ({ db, ask }) {
      await db.put({ _id: '_local/a' })
      return ask(() => db.remove('_local/a', '0-9'))
    },
    ours: { refused: missing }
  },
  {
    title: 'an endless limit is none',
    async run ({ db }) {
      await db.put({ _id: 'a' })
      return (await db.allDocs({ limit: -1 })).rows.length
    },
    ours: 1
  },
  {
    title: 'no keys have an offset too',
    run: ({ db }) => db.allDocs({ keys: [] }),
    ours: { total_rows: 0, offset: 0, rows: [] }
  },
  {
    title: 'keys are strings',
    async run ({ db }) {
      await db.bulkDocs([{ _id: '1' }, { _id: 'a' }])
      return (await db.allDocs({ keys: [1, '', null] })).rows
    },
    ours: [{ key: 1, error: 'not_found' }, { key: '', error: 'not_found' }, { key: null, error: 'not_found' }]
  },
  {
    title: 'a document that is asked for twice is given twice',
    async run ({ db }) {
      await db.put({ _id: 'a' })
      return (await db.bulkGet({ docs: [{ id: 'a' }, { id: 'a' }] })).results.length
    },
    ours: 2
  },
  {
    title: 'a revision that was compacted away is known, as in CouchDB',
    async run ({ db, tree }) {
      await tree('a', '1-a 2-b')
      await db.compact()
      return db.revsDiff({ a: ['1-a', '2-x', '2-x'] })
    },
    ours: { a: { missing: ['2-x'] } }
  },
  {
    title: 'all that one bulkDocs does to a document is one change',
    async run ({ db }) {
      await db.bulkDocs([{ _id: 'a', _rev: '1-a' }, { _id: 'a', _rev: '1-b' }], { new_edits: false })
      return (await db.info()).update_seq
    },
    ours: 1
  },
  {
    title: 'the leaves of a change begin with the winner',
    async run ({ db, tree }) {
      await tree('a', '1-a', '1-b')
      return (await db.changes({ style: 'all_docs' })).results[0].changes
    },
    ours: [{ rev: '1-b' }, { rev: '1-a' }]
  },
  {
    title: 'the changes of some documents are up to date to the last one of all',
    async run ({ db }) {
      await db.bulkDocs([{ _id: 'a' }, { _id: 'b' }])
      return [(await db.changes({ doc_ids: ['a'] })).last_seq, (await db.changes({ doc_ids: [] })).last_seq]
    },
    ours: [2, 2]
  },
  {
    title: 'a sequence may come as text, and what is none is the beginning',
    async run ({ db }) {
      await db.bulkDocs([{ _id: 'a' }, { _id: 'b' }])
      return [(await db.changes({ since: '1' })).results.length, (await db.changes({ since: 'x' })).results.length]
    },
    ours: [1, 2]
  },
  {
    title: 'an attachment that is replicated keeps the generation that brought it',
    async run ({ db }) {
      const _attachments = { x: { content_type: 'text/plain', data: 'eA==', revpos: 2 } }
      await db.bulkDocs([{ _id: 'a', _rev: '3-c', _revisions: { start: 3, ids: ['c', 'b', 'a'] }, _attachments }], { new_edits: false })
      return (await db.get('a'))._attachments.x.revpos
    },
    ours: 2
  },
  {
    title: 'an instance that is closed leaves the others of its name open',
    async run ({ open, newName, PouchDB }) {
      const name = newName()
      const [db, other] = [open({}, name), open({}, name)]
      await other.put({ _id: 'a' })
      await db.close()
      // PouchDB's own adapter never answers now.
      if (other.adapter === 'memory') return 'no answer'
      return [(await other.get('a'))._id, (await other.put({ _id: 'b' })).ok]
    },
    ours: ['a', true]
  },
  {
    title: 'purge is there',
    run: ({ db }) => Promise.resolve(typeof db._purge),
    ours: 'function'
  }
]

module.exports = { differences }
