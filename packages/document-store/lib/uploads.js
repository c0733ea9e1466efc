'use strict'

const crypto = require('node:crypto')
const { CHUNK } = require('./attachment-store')
const { lengthMismatch } = require('./attachment-input')
const { del, put, putBinary } = require('./keyspace')

/**
 * Streamed content that is stored ahead of the commit that refers to it, a chunk in memory at a
 * time. A marker at `u content` names it until then, so that an interrupted one can be removed.
 *
 * @typedef {{ content: string, length: number }} Upload
 */

/**
 * Stores the streamed attachments of some edits. Where one fails, all are removed again.
 *
 * @param {import('./core').Core} core
 * @param {import('./validate').Edit[]} edits
 */
async function uploadStreams (core, edits) {
  const inputs = edits.flatMap((edit) => edit.attachments ?? []).filter(isStream)
  try {
    for (const input of inputs) await uploadOne(core, input)
  } catch (error) {
    await Promise.all(inputs.map((input) => input.upload === null ? null : removeContent(core, input.upload.content)))
    throw error
  }
}

function isStream (input) {
  return input.data !== null && !Buffer.isBuffer(input.data)
}

async function uploadOne (core, input) {
  const hash = crypto.createHash('md5')
  const upload = { content: core.nextContent(), length: 0 }
  input.upload = upload
  await core.keyspace.write([put(core.layout.upload(upload.content), '')])
  let number = 0
  for await (const chunk of chunksOf(input.data)) {
    hash.update(chunk)
    upload.length += chunk.length
    await core.keyspace.write([putBinary(core.layout.chunk(upload.content, number++), chunk)])
  }
  if (input.length !== null && input.length !== upload.length) throw lengthMismatch(input)
  input.length = upload.length
  input.digest = 'md5-' + hash.digest('base64')
  input.data = null
}

/** Cuts what arrives into chunks of the stored size, the last one smaller. */
async function * chunksOf (source) {
  let parts = []
  let size = 0
  for await (const part of source) {
    let bytes = Buffer.from(part.buffer, part.byteOffset, part.byteLength)
    while (size + bytes.length >= CHUNK) {
      parts.push(bytes.subarray(0, CHUNK - size))
      bytes = bytes.subarray(CHUNK - size)
      yield Buffer.concat(parts, CHUNK)
      parts = []
      size = 0
    }
    if (bytes.length > 0) parts.push(bytes)
    size += bytes.length
  }
  if (size > 0) yield Buffer.concat(parts, size)
}

/** Removes an upload, however far it came. */
async function removeContent (core, content) {
  await core.keyspace.clear(core.layout.range(core.layout.chunks + content + '!'))
  await core.keyspace.write([del(core.layout.upload(content))])
}

/** At open: what a crash left behind. */
async function removeOrphans (core) {
  const keys = await core.keyspace.keys(core.layout.range(core.layout.uploads)).all()
  for (const key of keys) await removeContent(core, key.slice(core.layout.uploads.length))
}

module.exports = { uploadStreams, removeContent, removeOrphans }
