'use strict'

const crypto = require('node:crypto')
const PouchDB = require('pouchdb-core')
  .plugin(require('pouchdb-adapter-leveldb'))
  .plugin(require('pouchdb-mapreduce'))

const replicated = { new_edits: false }

/** The ids that a database of PouchDB is asked to survive. */
const ODD_IDS = ['ÿ', 'ÿdocument-storeÿ', 'a/b?c#d', 'Ümläut €', '\u{1f998}', '\u{10ffff}x', ' ', '_design/things', 'a'.repeat(500)]

/**
 * A database of pouchdb-adapter-leveldb. `prefix` is a folder.
 *
 * @param {string} name
 * @param {string} prefix ends with a slash
 */
function openPouch (name, prefix) {
  return new PouchDB(name, { adapter: 'leveldb', prefix })
}

/** Everything that a database can hold: conflicts, deletions with bodies, attachments, odd ids, local documents. */
async function fill (db) {
  await db.bulkDocs(ODD_IDS.map((id, i) => ({ _id: id, i })))
  await fillRevisions(db)
  await fillAttachments(db)
  await db.put({ _id: '_local/settings', colour: 'red', nested: { list: [1, null] } })
  await db.put({ _id: '_local/ÿ/€', empty: true })
}

async function fillRevisions (db) {
  const { rev } = await db.put({ _id: 'edited', n: 1 })
  const second = await db.put({ _id: 'edited', _rev: rev, n: 2 })
  await db.put({ _id: 'edited', _rev: second.rev, n: 3 })
  await db.bulkDocs([
    path('forked', ['a', 'r'], { n: 'a' }),
    path('forked', ['b', 'r'], { n: 'b' }),
    path('forked', ['d', 'c', 'b', 'r'], { n: 'd', _deleted: true, why: 'a body' }),
    path('rootless', ['z'], { n: 'z' }, 7),
    path('rootless', ['y'], { n: 'y' }, 3)
  ], replicated)
  const gone = await db.put({ _id: 'gone', n: 1 })
  await db.put({ _id: 'gone', _rev: gone.rev, _deleted: true, why: 'it had to' })
}

function path (id, ids, body, start = ids.length) {
  return { ...body, _id: id, _rev: `${start}-${ids[0]}`, _revisions: { start, ids } }
}

async function fillAttachments (db) {
  const shared = crypto.randomBytes(1000)
  const big = crypto.randomBytes(700_000)
  const text = Buffer.from('all work and no play '.repeat(20_000))
  const file = (data, type = 'application/octet-stream') => ({ content_type: type, data })
  await db.put({ _id: 'files', _attachments: { 'a b/ü.txt': file(Buffer.from('hello'), 'text/plain'), empty: file(Buffer.alloc(0)), shared: file(shared) } })
  await db.put({ _id: 'more files', _attachments: { shared: file(shared), big: file(big), text: file(text, 'text/plain') } })
  await db.bulkDocs([
    { ...path('files in conflict', ['f1', 'f0'], {}), _attachments: { big: { ...file(big), revpos: 2 }, one: { ...file(Buffer.from('1')), revpos: 2 } } },
    { ...path('files in conflict', ['f2', 'f0'], {}), _attachments: { big: { ...file(crypto.randomBytes(300_000)), revpos: 2 } } }
  ], replicated)
  const { rev } = await db.put({ _id: 'kept file', _attachments: { it: file(Buffer.from('it')) } })
  await db.put({ _id: 'kept file', _rev: rev, n: 2, _attachments: { it: { stub: true, digest: digestOf('it'), content_type: 'application/octet-stream', length: 2, revpos: 1 } } })
}

function digestOf (text) {
  return 'md5-' + crypto.createHash('md5').update(text).digest('base64')
}

module.exports = { openPouch, fill, ODD_IDS }
