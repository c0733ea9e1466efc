'use strict'

const crypto = require('node:crypto')
const { createError } = require('@potoroo/errors')
const { checkAnnounced, checkLength, letGo } = require('./announced-stream')
const { digestOf } = require('./attachment-input')
const { CHUNK } = require('./attachment-store')
const { chunksOf } = require('./chunks')
const { Turn } = require('../json/turn')
const { put, putBinary } = require('../media/keyspace')

/**
 * @import { Core } from '../store/core'
 * @import { Edit } from '../commit/validate'
 * @import { AttachmentInput } from './attachment-input'
 * @import { Source } from './announced-stream'
 */

/**
 * The first chunks of content, this many, are flushed one by one, and then each time that this many came. That costs a
 * third less time, and no other writer's flush waits for a gigabyte. One more flush makes all of it durable before the
 * commit that refers to it.
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

/** @param {Core} core @param {AttachmentInput[][]} inputs of each edit */
async function uploadAll (core, inputs) {
  const room = { left: ROOM }
  const turn = new Turn()
  for (const some of inputs) await uploadInOrder(core, some, room, turn)
}

/**
 * Stores the sources of one document in the order in which they come: over one connection that may be another one than
 * that of the names, and none is held meanwhile.
 *
 * @param {Core} core
 * @param {AttachmentInput[]} inputs
 * @param {{ left: number }} room
 * @param {Turn} turn
 */
async function uploadInOrder (core, inputs, room, turn) {
  const rest = new Map(inputs.map((input) => [input.name, input]))
  for (let count = rest.size; count > 0; count--) {
    const [first] = rest.values()
    const name = await /** @type {Source} */ (first.source).arriving?.()
    core.assertOpen()
    const input = rest.get(name ?? '') ?? first
    rest.delete(input.name)
    await upload(core, input, room)
    // Content of one chunk may have been at hand.
    if (turn.isLong) await turn.end()
  }
}

/**
 * Rejects at once when the store closes, for a source may keep silent for ever.
 *
 * @param {Core} core
 * @param {Promise<void>} work
 */
function untilClosed (core, work) {
  /** @type {() => Promise<void>} */
  let release = async () => {}
  let isOver = false
  const closed = new Promise((resolve, reject) => {
    // To make an error takes long.
    release = core.hold(async () => { if (!isOver) reject(createError('CLOSED')) })
  })
  return Promise.race([work, closed]).finally(() => {
    isOver = true
    return release()
  })
}

/** @param {Core} core @param {AttachmentInput} input @param {{ left: number }} room */
async function upload (core, input, room) {
  let hash = null
  let length = 0
  let number = 0
  /** Held back: content of one chunk needs no upload. @type {Buffer | null} */
  let first = null
  for await (const chunk of chunksOf(/** @type {Source} */ (input.source), CHUNK, core.keyspace.keepsBuffers)) {
    length += chunk.length
    checkLength(input, length)
    if (number === 1) {
      hash = crypto.createHash('md5').update(/** @type {Buffer} */ (first))
      await begin(core, input, /** @type {Buffer} */ (first))
    }
    hash?.update(chunk)
    if (number === 0) first = chunk
    else {
      await writeChunk(core, /** @type {Upload} */ (input.upload), number, chunk)
      await core.keyspace.turn()
    }
    number++
  }
  const digest = hash === null ? digestOf(first ?? NOTHING) : 'md5-' + hash.digest('base64')
  checkAnnounced(input, length, digest)
  Object.assign(input, { length, digest })
  if (input.upload === null && length > room.left) await begin(core, input, /** @type {Buffer} */ (first))
  if (input.upload === null) {
    input.data = first ?? NOTHING
    room.left -= length
  } else if (number > FLUSHED_CHUNKS) await core.flush()
  input.source = null
}

/** @param {Core} core @param {AttachmentInput} input @param {Buffer} first */
async function begin (core, input, first) {
  input.upload = { content: core.nextContent(), length: 0 }
  await core.write([put(core.layout.upload(input.upload.content), '')])
  await writeChunk(core, input.upload, 0, first)
}

/** @param {Core} core @param {Upload} upload @param {number} number @param {Buffer} chunk */
async function writeChunk (core, upload, number, chunk) {
  await core.write([putBinary(core.layout.chunk(upload.content, number), chunk)], { later: number > FLUSHED_CHUNKS && number % FLUSHED_CHUNKS !== 0 })
  upload.length += chunk.length
}

/**
 * Removes what was stored for edits and no commit refers to.
 *
 * @param {Core} core
 * @param {Edit[]} edits
 */
async function removeUploads (core, edits) {
  const uploads = edits.flatMap((edit) => edit.attachments ?? []).map(({ upload }) => upload)
  await Promise.all(uploads.map((upload) => upload && core.dropper.drop(upload.content)))
}

module.exports = { uploadStreams, removeUploads }
