'use strict'

const { AttachmentContent } = require('./attachment-content')
const { attachmentPath } = require('./paths')

/** Bytes up to which content is read at once, and so many at a time. */
const SMALL = 64 * 1024
const BUDGET = 16 * 1024 * 1024

/**
 * Makes the source of a replication give its attachments as `AttachmentContent`, which is not in
 * memory. pouchdb-replication asks for the documents of a batch first, as stubs, and then for all
 * their attachments.
 *
 * @param {any} db a PouchDB of this replication alone
 */
function streamFrom (db) {
  const { bulkGet, getAttachment, _remote: remote } = db
  /** @type {Map<string, { length: number, digest: string }>} */
  let stubs = new Map()
  let budget = BUDGET

  db.bulkGet = async (options) => {
    const answer = await bulkGet.call(db, options)
    stubs = stubsOf(answer.results)
    budget = BUDGET
    return answer
  }

  db.getAttachment = async (id, name, { rev }) => {
    const stub = stubs.get(keyOf(id, rev, name))
    if (stub === undefined || (stub.length <= SMALL && (budget -= stub.length) >= 0)) return getAttachment.call(db, id, name, { rev })
    return new AttachmentContent(stub, () => remote ? download(db, id, name, rev) : getAttachment.call(db, id, name, { rev, stream: true }))
  }

  // Else pouchdb-replication compares attachments with the target's, and asks for them without saying of which revision.
  db._remote = false
}

function stubsOf (results) {
  const stubs = new Map()
  for (const { ok: doc } of results.flatMap(({ docs }) => docs)) {
    for (const [name, stub] of Object.entries(doc?._attachments ?? {})) stubs.set(keyOf(doc._id, doc._rev, name), stub)
  }
  return stubs
}

function keyOf (...parts) { return JSON.stringify(parts) }

async function download (db, id, name, rev) {
  const response = await db.fetch(`${attachmentPath(id, name)}?rev=${rev}`)
  if (response.ok) return response.body
  response.body.destroy()
  throw Object.assign(new Error(`Attachment ${name} of ${id} could not be read`), { status: response.status })
}

module.exports = { streamFrom }
