'use strict'

const crypto = require('node:crypto')
const { toObject } = require('@potoroo/document-store')

/**
 * All that a database holds, as PouchDB or a document store tells it by its own API: what an import
 * has to leave the same. Attachments' content has a digest of our own.
 *
 * @typedef {{ documents: Record<string, any[]>, locals: Record<string, any> }} Contents
 */

/** @returns {Promise<Contents>} of a PouchDB; `localIds` because PouchDB lists none */
async function contentsOfPouch (db, localIds) {
  const documents = {}
  const { results } = await db.changes({ since: 0, style: 'all_docs' })
  for (const { id } of results) {
    const leaves = await db.get(id, { open_revs: 'all', revs: true })
    documents[id] = sorted(await Promise.all(leaves.map(({ ok }) => withContent(db, ok))))
  }
  const locals = await Promise.all(localIds.map(id => db.get(id)))
  return { documents, locals: Object.fromEntries(locals.map(({ _id, _rev, ...body }) => [_id, body])) }
}

/** open_revs does not give attachments' content. */
async function withContent (db, doc) {
  for (const name of Object.keys(doc._attachments ?? {})) {
    const content = await db.getAttachment(doc._id, name, { rev: doc._rev })
    doc._attachments[name] = comparable(doc._attachments[name], content)
  }
  return doc
}

function comparable ({ content_type: type, revpos }, content) {
  return { type, revpos, length: content.length, content: crypto.createHash('sha256').update(content).digest('hex') }
}

/** @returns {Promise<Contents>} of a document store, without what imports remember */
async function contentsOfStore (store) {
  const documents = {}
  for await (const page of store.changes()) {
    for (const { id } of page) {
      const leaves = await store.openRevs(id, 'all', { revs: true, attachments: true })
      documents[id] = sorted(leaves.map(({ ok }) => ofStore(ok)))
    }
  }
  const locals = (await store.allLocal()).filter(({ id }) => !id.startsWith('_local/potoroo-import-'))
  return { documents, locals: Object.fromEntries(locals.map(({ id, body }) => [id, JSON.parse(body)])) }
}

function ofStore (document) {
  const doc = toObject(document)
  for (const [name, { data, ...info }] of Object.entries(doc._attachments ?? {})) doc._attachments[name] = comparable(info, Buffer.from(data, 'base64'))
  return doc
}

function sorted (leaves) {
  return leaves.sort((a, b) => a._rev < b._rev ? -1 : 1)
}

/** @returns {Promise<Array<{ seq: number, id: string }>>} in their order */
async function sequencesOf (store) {
  const rows = []
  for await (const page of store.changes({ style: 'all_docs' })) rows.push(...page.map(({ seq, id, changes }) => ({ seq, id, changes })))
  return rows
}

module.exports = { contentsOfPouch, contentsOfStore, sequencesOf }
