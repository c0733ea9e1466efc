'use strict'

const { createError } = require('@potoroo/errors')
const { CHUNK, decodeAttachment } = require('./attachment-store')
const { decodeTree } = require('./revision-tree/encode')

/**
 * Where an attachment's content is.
 *
 * @returns {Promise<{ content: string, length: number }>}
 */
async function locate (core, digest, snapshot) {
  const text = await core.keyspace.get(core.layout.attachment(digest), snapshot)
  if (text === undefined) throw createError('MISSING_ATTACHMENT')
  return decodeAttachment(text)
}

/** Pages through bytes `start` to `end` (exclusive), a stored chunk at a time. */
async function * streamContent (core, { content, length }, start = 0, end = length, snapshot = undefined) {
  const stop = Math.min(end, length)
  for (let at = Math.max(0, start); at < stop;) {
    const number = Math.floor(at / CHUNK)
    const offset = at - number * CHUNK
    const [chunk] = await core.keyspace.getBinary([core.layout.chunk(content, number)], snapshot)
    if (chunk === undefined) throw createError('MISSING_ATTACHMENT')
    const part = chunk.subarray(offset, Math.min(chunk.length, offset + stop - at))
    at += part.length
    yield part
  }
}

async function readContent (core, place, start, end, snapshot) {
  const parts = []
  for await (const part of streamContent(core, place, start, end, snapshot)) parts.push(part)
  return parts.length === 1 ? parts[0] : Buffer.concat(parts)
}

/** Loads a document's attachments; with `attsSince` only those newer than these revisions. */
async function loadAttachments (core, document, record, { attsSince }, snapshot) {
  const newest = attsSince === undefined ? 0 : newestKnown(document, record, attsSince)
  for (const info of Object.values(document.attachments)) {
    if (info.revpos > newest) info.data = await readContent(core, await locate(core, info.digest, snapshot), 0, undefined, snapshot)
  }
}

/** The generation of the newest ancestor that the reader has. */
function newestKnown (document, record, attsSince) {
  const revs = new Set(attsSince)
  let node = decodeTree(record.tree, record.deleted).get(document.rev) ?? null
  while (node !== null && !revs.has(node.rev)) node = node.parent
  return node === null ? 0 : node.generation
}

/**
 * @param {import('./core').Core} core
 * @param {string} id
 * @param {string} name
 * @param {{ rev?: string }} options
 * @param {typeof import('./get').get} get
 */
async function getAttachment (core, id, name, { rev } = {}, get) {
  const document = await get(core, id, rev === undefined ? {} : { rev })
  const { attachments } = document
  if (attachments === null || !Object.hasOwn(attachments, name)) throw createError('MISSING_ATTACHMENT', { id })
  const place = await locate(core, attachments[name].digest)
  return {
    ...attachments[name],
    rev: document.rev,
    read: (start, end) => readContent(core, place, start, end),
    stream: (start, end) => streamSnapshot(core, place, start, end)
  }
}

/** Content stays readable to its end, whatever is written or compacted meanwhile. */
async function * streamSnapshot (core, place, start, end) {
  core.assertOpen()
  const snapshot = core.keyspace.snapshot()
  const release = core.hold(() => snapshot.close())
  try {
    for await (const part of streamContent(core, place, start, end, snapshot)) {
      yield part
      core.assertOpen()
    }
  } finally {
    await release()
  }
}

module.exports = { loadAttachments, getAttachment, readContent, locate }
