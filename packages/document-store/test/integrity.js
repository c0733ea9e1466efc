'use strict'

const assert = require('node:assert/strict')
const { Layout } = require('../lib/layout')
const { attachmentsOf, decodeChange, DocumentRecord } = require('../lib/record')
const { decodeTree } = require('../lib/revision-tree/encode')
const { leavesOf } = require('../lib/revision-tree/leaves')
const { decodeHash } = require('../lib/revision')
const { Totals } = require('../lib/totals')
const { CHUNK, decodeAttachment } = require('../lib/attachment-store')

/**
 * Reads a database's records one by one and demands that they agree: documents with changes,
 * leaves with bodies, references with counts, contents with chunks, totals with all of it.
 */
async function assertIntegrity (level, prefix = '') {
  const layout = new Layout(prefix)
  const entries = async (store) => level.iterator({ ...layout.range(store), keyEncoding: 'utf8', valueEncoding: 'utf8' }).all()
  const revisions = new Map(await entries(layout.revisions))
  const found = { live: 0, deleted: 0, records: 0, external: 0, revisions: 0, attachments: 0 }
  const digests = new Map()
  const changes = new Map()

  for (const [key, text] of await entries(layout.documents)) {
    const id = layout.idOf(key)
    const record = new DocumentRecord(text)
    const leaves = leavesOf(decodeTree(record.tree, record.deleted))
    assert.equal(leaves[0].rev, record.rev, `winner of ${id}`)
    for (const leaf of leaves.slice(1)) assert.ok(revisions.has(layout.revision(id, leaf.rev)), `body of ${id} ${leaf.rev}`)
    assert.equal(revisions.has(layout.revision(id, record.rev)), false, `${id}'s winner is stored once`)
    changes.set(record.seq, { id, deleted: record.deleted, leaves: leaves.map(({ rev }) => rev) })
    found[record.deleted ? 'deleted' : 'live']++
    found.records += Buffer.byteLength(text)
    if (!record.deleted) found.external += Buffer.byteLength(record.payload)
    countDigests(digests, record.payload)
  }
  for (const [key, payload] of revisions) {
    const { id, rev } = layout.revisionOf(key)
    const record = new DocumentRecord(await level.get(layout.document(id)))
    assert.ok(decodeTree(record.tree, record.deleted).has(decodeHash(rev)), `${id} ${rev} is in the tree`)
    found.revisions += Buffer.byteLength(payload)
    countDigests(digests, payload)
  }
  for (const [key, text] of await entries(layout.sequences)) {
    const seq = layout.sequenceOf(key)
    assert.deepEqual(decodeChange(text), changes.get(seq), `change ${seq}`)
    changes.delete(seq)
  }
  assert.equal(changes.size, 0, 'every document has its change')
  found.attachments = await assertAttachments(level, layout, await entries(layout.attachments), digests)
  const { seq, ...totals } = new Totals(await level.get(layout.state))
  assert.deepEqual(totals, found)
  assert.deepEqual(await entries(layout.uploads), [])
}

function countDigests (digests, payload) {
  const text = attachmentsOf(payload)
  const own = text === '' ? [] : Object.values(JSON.parse(text)).map(({ digest }) => digest)
  for (const digest of new Set(own)) digests.set(digest, (digests.get(digest) ?? 0) + 1)
}

async function assertAttachments (level, layout, records, digests) {
  const chunks = new Set(await level.keys(layout.range(layout.chunks)).all())
  let bytes = 0
  for (const [key, text] of records) {
    const { content, length, references } = decodeAttachment(text)
    const digest = key.slice(layout.attachments.length)
    assert.equal(references, digests.get(digest), `references of ${digest}`)
    digests.delete(digest)
    for (let number = 0; number * CHUNK < length; number++) assert.ok(chunks.delete(layout.chunk(content, number)), `chunk ${number} of ${digest}`)
    bytes += length
  }
  assert.deepEqual([...digests.keys()], [], 'every digest is stored')
  assert.deepEqual([...chunks], [], 'every chunk belongs to an attachment')
  return bytes
}

module.exports = { assertIntegrity }
