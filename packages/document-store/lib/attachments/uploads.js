'use strict'

const crypto = require('node:crypto')
const { createError } = require('@potoroo/errors')
const { checkAnnounced, checkLength, letGo } = require('./announced-stream')
const { digestOf } = require('./attachment-input')
const { CHUNK } = require('./attachment-store')
const { chunksOf } = require('./chunks')
const { put, putBinary } = require('../media/keyspace')

/**
 * This many chunks are flushed one by one. Of what is longer every so many, which costs a third less
 * time and lets nobody's flush wait for a gigabyte; then one flush makes all of it durable before
 * the commit that refers to it.
 */
const FLUSHED_CHUNKS = 8

const NOTHING = Buffer.alloc(0)

/** Bytes of content of one chunk each that may wait in memory for a commit: it may have thousands of them. */
const ROOM = 4 * 1024 * 1024

/**
 * Streamed content that is stored ahead of the commit that refers to it, a chunk in memory at a
 * time. A marker at `u content` names it until then, so that an interrupted one can be removed.
 *
 * @typedef {{ content: string, length: number }} Upload
 */

/**
 * Stores the streamed attachments of some edits. If one fails, all are removed again, and
 * those that were not read are let go.
 *
 * @param {import('../store/core').Core} core
 * @param {import('../commit/validate').Edit[]} edits
 */
async function uploadStreams (core, edits) {
  const inputs = edits.map((edit) => (edit.attachments ?? []).filter((input) => input.source !== null))
  try {
    await untilClosed(core, uploadAll(core, inputs))
  } catch (error) {
    for (const { source } of inputs.flat()) letGo(source)
    await removeUploads(core, edits)
    throw error
  }
}

/** @param {import('./attachment-input').AttachmentInput[][]} inputs of each edit */
async function uploadAll (core, inputs) {
  const room = { left: ROOM }
  for (const some of inputs) await uploadInOrder(core, some, room)
}

/** Sources that come over one connection may come in another order than the names: nobody holds those that are early. */
async function uploadInOrder (core, inputs, room) {
  const rest = new Map(inputs.map((input) => [input.name, input]))
  for (let count = rest.size; count > 0; count--) {
    const [first] = rest.values()
    const name = await first.source.arriving?.()
    core.assertOpen()
    const input = rest.get(name) ?? first
    rest.delete(input.name)
    await upload(core, input, room)
  }
}

/** A source may keep silent for ever; who writes is told at once when the store closes. */
function untilClosed (core, work) {
  /** @type {() => Promise<void>} */
  let release = async () => {}
  const closed = new Promise((resolve, reject) => {
    release = core.hold(async () => reject(createError('CLOSED')))
  })
  return Promise.race([work, closed]).finally(() => release())
}

async function upload (core, input, room) {
  let hash = null
  let length = 0
  let number = 0
  /** Held back: content of one chunk needs no upload. @type {Buffer | null} */
  let first = null
  for await (const chunk of chunksOf(input.source, CHUNK, core.keyspace.keepsBuffers)) {
    length += chunk.length
    checkLength(input, length)
    if (number === 1) {
      hash = crypto.createHash('md5').update(/** @type {any} */ (first))
      await begin(core, input, first)
    }
    hash?.update(chunk)
    if (number === 0) first = chunk
    else await writeChunk(core, input.upload, number, chunk)
    number++
    await core.keyspace.turn()
  }
  const digest = hash === null ? digestOf(first ?? NOTHING) : 'md5-' + hash.digest('base64')
  checkAnnounced(input, length, digest)
  Object.assign(input, { length, digest })
  if (input.upload === null && length > room.left) await begin(core, input, first)
  if (input.upload === null) {
    input.data = first ?? NOTHING
    room.left -= length
  } else if (number > FLUSHED_CHUNKS) await core.flush()
  input.source = null
}

async function begin (core, input, first) {
  input.upload = { content: core.nextContent(), length: 0 }
  await core.write([put(core.layout.upload(input.upload.content), '')])
  await writeChunk(core, input.upload, 0, first)
}

async function writeChunk (core, upload, number, chunk) {
  await core.write([putBinary(core.layout.chunk(upload.content, number), chunk)], { later: number > FLUSHED_CHUNKS && number % FLUSHED_CHUNKS !== 0 })
  upload.length += chunk.length
}

/** Removes what was stored for edits and no commit refers to. */
async function removeUploads (core, edits) {
  const uploads = edits.flatMap((edit) => edit.attachments ?? []).map(({ upload }) => upload)
  await Promise.all(uploads.map((upload) => upload && core.dropper.drop(upload.content)))
}

module.exports = { uploadStreams, removeUploads }
