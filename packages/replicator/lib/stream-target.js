'use strict'

const crypto = require('node:crypto')
const { Readable } = require('node:stream')
const { AttachmentContent, hasContent } = require('./attachment-content')
const { documentPath } = require('./paths')

/**
 * Makes the target of a replication read `AttachmentContent` while it stores it: a database here
 * through its adapter, one elsewhere by a multipart/related request for each such document.
 *
 * @param {any} db a PouchDB of this replication alone
 */
function streamTo (db) {
  const { bulkDocs, _remote: remote } = db
  db.bulkDocs = async (request, options) => {
    const long = request.docs.filter(hasContent)
    if (long.length === 0) return bulkDocs.call(db, request, options)
    if (remote) return upload(db, request, long, (docs) => bulkDocs.call(db, { ...request, docs }, options))
    for (const doc of long) await useKnown(db, doc)
    return bulkDocs.call(db, request, options)
  }
}

/** What the document here has already is not copied again. */
async function useKnown (db, doc) {
  const known = await db.get(doc._id).then(({ _attachments }) => _attachments, () => undefined)
  for (const [name, attachment] of Object.entries(doc._attachments)) {
    const { data, digest } = attachment
    if (!(data instanceof AttachmentContent) || !Object.hasOwn(known ?? {}, name) || known[name].digest !== digest) continue
    delete attachment.data
    attachment.stub = true
  }
}

/** @returns {Promise<any[]>} what was refused */
async function upload (db, { docs }, long, writePlain) {
  const plain = docs.filter((doc) => !long.includes(doc))
  const results = plain.length === 0 ? [] : await writePlain(plain)
  for (const doc of long) {
    const refusal = await put(db, doc)
    if (refusal !== null) results.push(refusal)
  }
  return results
}

async function put (db, doc) {
  const boundary = crypto.randomBytes(16).toString('hex')
  const body = Readable.from(related(doc, boundary), { objectMode: false })
  try {
    const response = await db.fetch(`${documentPath(doc._id)}?new_edits=false`, {
      method: 'PUT',
      headers: new Headers({ 'Content-Type': `multipart/related; boundary="${boundary}"`, Accept: 'application/json' }),
      body
    })
    const answer = await response.json()
    return response.ok ? null : { id: doc._id, error: true, status: response.status, name: answer.error, message: answer.reason, reason: answer.reason }
  } finally {
    body.destroy() // it may have been refused before it was sent
  }
}

/** @see https://docs.couchdb.org/en/stable/api/document/common.html#creating-multiple-attachments */
async function * related (doc, boundary) {
  const attachments = Object.entries(doc._attachments)
  const json = JSON.stringify({ ...doc, _attachments: Object.fromEntries(attachments.map(([name, each]) => [name, toJson(each)])) })
  yield Buffer.from(`--${boundary}\r\nContent-Type: application/json\r\n\r\n${json}\r\n--${boundary}`)
  for (const [name, { content_type: type, data }] of attachments) {
    if (!(data instanceof AttachmentContent)) continue
    yield Buffer.from(`\r\nContent-Disposition: attachment; filename="${oneLine(name)}"\r\nContent-Type: ${oneLine(type)}\r\nContent-Length: ${data.length}\r\n\r\n`)
    yield * data
    yield Buffer.from(`\r\n--${boundary}`)
  }
  yield Buffer.from('--')
}

/** No digest: a CouchDB's may be that of compressed content, which is not what is sent. */
function toJson ({ content_type: type, revpos, data, ...rest }) {
  if (data instanceof AttachmentContent) return { content_type: type, revpos, length: data.length, follows: true }
  return { ...rest, content_type: type, revpos, data: Buffer.isBuffer(data) ? data.toString('base64') : data }
}

function oneLine (text) {
  return text.replace(/[\r\n]+/g, ' ')
}

module.exports = { streamTo }
