'use strict'

const { createError } = require('@potoroo/errors')
const { CHUNK, decodeAttachment } = require('./attachment-store')
const { decodeBuffer, decodePart, decodeStream } = require('./decode-attachment')
const { areMany, carryShown } = require('../large-json/attachments')
const { namesOf } = require('../json/carried-text')
const { Turn, inTurns, mapInTurns } = require('../json/turn')

/**
 * @import { Core } from '../store/core'
 * @import { Snapshot } from '../media/keyspace'
 * @import { DocumentRecord } from '../media/record'
 * @import { AttachmentInfo, Document, ReadOptions } from '../..'
 *
 * @typedef {{ content: string, length: number }} Place of content; length of the stored bytes
 */

/** The bytes that gzip begins with. */
const GZIP = Buffer.from([0x1f, 0x8b, 8])

/** Bytes of stored content that is read with what is said of it. */
const SMALL = 16 * 1024

/** Attachments that are read in one go. */
const AT_ONCE = 32

/**
 * Finds the place of an attachment's content.
 *
 * @param {Core} core
 * @param {string} digest
 * @param {Snapshot} [snapshot]
 * @returns {Promise<Place>}
 */
async function locate (core, digest, snapshot) {
  return placeOf(await core.keyspace.get(core.layout.attachment(digest), snapshot))
}

/** @param {string | undefined} text */
function placeOf (text) {
  if (text === undefined) throw createError('MISSING_ATTACHMENT')
  return decodeAttachment(text)
}

/**
 * Pages through bytes `start` to `end` (exclusive), a stored chunk at a time.
 *
 * @param {Core} core
 * @param {Place} place
 * @param {number} start
 * @param {number} end
 * @param {Snapshot} [snapshot]
 */
async function * streamContent (core, place, start, end, snapshot) {
  for (let at = start; at < end;) {
    const part = await readPart(core, place, at, end, snapshot)
    at += part.length
    yield part
  }
}

/**
 * Returns the bytes from `start` to the end of their chunk, or to `end` before that.
 *
 * @param {Core} core
 * @param {Place} place
 * @param {number} start
 * @param {number} end
 * @param {Snapshot} [snapshot]
 */
async function readPart (core, { content }, start, end, snapshot) {
  const offset = start % CHUNK
  const key = core.layout.chunk(content, (start - offset) / CHUNK)
  const [chunk] = await core.keyspace.getBinary([key], snapshot)
  if (chunk === undefined) throw createError('MISSING_ATTACHMENT')
  return chunk.subarray(offset, Math.min(chunk.length, offset + end - start))
}

/** @param {{ length: number }} content @returns {{ start: number, end: number }} within the content, end exclusive */
function clamp ({ length }, start = 0, end = length) {
  return { start: Math.max(0, start), end: Math.min(end, length) }
}

/**
 * Reads content in one piece, without a second copy of it meanwhile.
 *
 * @param {Core} core
 * @param {Place} place
 * @param {number | undefined} from
 * @param {number | undefined} to
 * @param {Snapshot} [snapshot]
 */
async function readContent (core, place, from, to, snapshot) {
  const { start, end } = clamp(place, from, to)
  if (start >= end) return Buffer.alloc(0)
  if (end - start <= CHUNK - start % CHUNK) return readPart(core, place, start, end, snapshot)
  const whole = Buffer.allocUnsafeSlow(end - start)
  let at = 0
  for await (const part of streamContent(core, place, start, end, snapshot)) at += part.copy(whole, at)
  return whole
}

/**
 * Loads a document's attachments; with `attsSince` only those newer than these revisions. If they are too long together,
 * `stubsBeyond` leaves all of them as stubs.
 *
 * @param {Core} core
 * @param {Document} document one that has attachments
 * @param {DocumentRecord} record
 * @param {ReadOptions} options
 * @param {Snapshot} [snapshot]
 */
async function loadAttachments (core, document, record, options, snapshot) {
  try {
    await loadWanted(core, document, record, options, snapshot)
  } catch (error) {
    if (error.code !== 'TOO_LARGE' || !options.stubsBeyond) throw error
    for (const info of await infosOf(document)) delete info.data
  }
  const { attachments } = document
  if (attachments !== null && areMany(attachments)) await carryShown(attachments)
}

/**
 * @param {Core} core
 * @param {Document} document
 * @param {DocumentRecord} record
 * @param {ReadOptions} options
 * @param {Snapshot} [snapshot]
 */
async function loadWanted (core, document, record, { attsSince, attachmentsLimit = Infinity }, snapshot) {
  const newest = attsSince === undefined ? 0 : newestKnown(document, record, attsSince)
  /** @type {AttachmentInfo[]} */
  const wanted = []
  let length = 0
  await inTurns(await infosOf(document), (info) => {
    if (info.revpos <= newest) return
    wanted.push(info)
    length += info.length
  })
  if (length > attachmentsLimit) {
    throw createError('TOO_LARGE', { reason: `The attachments of ${document.id} are too long to come along: ask for them one by one`, id: document.id })
  }
  const turn = new Turn()
  for (let at = 0; at < wanted.length; at += AT_ONCE) {
    await loadContents(core, wanted.slice(at, at + AT_ONCE), snapshot)
    if (turn.isLong) await turn.end()
  }
  await decodeContents(wanted, attachmentsLimit)
}

/** @param {Document} document one that has attachments */
function infosOf (document) {
  const attachments = /** @type {Record<string, AttachmentInfo>} */ (document.attachments)
  return mapInTurns(namesOf(attachments), (name) => attachments[name])
}

/**
 * Decodes contents: compressed ones may be longer than they say.
 *
 * @param {AttachmentInfo[]} infos each with its data
 * @param {number} limit
 */
async function decodeContents (infos, limit) {
  let room = limit
  for (const info of infos) {
    const stored = /** @type {Buffer} */ (info.data)
    const data = info.encoding === undefined ? stored : await decodeBuffer(stored, room)
    info.data = data
    room -= data.length
  }
}

/**
 * Loads contents. All that are one chunk come in one go.
 *
 * @param {Core} core
 * @param {AttachmentInfo[]} infos
 * @param {Snapshot} [snapshot]
 */
async function loadContents (core, infos, snapshot) {
  const texts = await core.keyspace.getMany(infos.map(({ digest }) => core.layout.attachment(digest)), snapshot)
  const places = texts.map(placeOf)
  const single = places.filter(isOneChunk)
  const chunks = await core.keyspace.getBinary(single.map(({ content }) => core.layout.chunk(content, 0)), snapshot)
  if (chunks.includes(undefined)) throw createError('MISSING_ATTACHMENT')
  for (let i = 0, next = 0; i < infos.length; i++) {
    infos[i].data = isOneChunk(places[i]) ? chunks[next++] : await readContent(core, places[i], 0, undefined, snapshot)
  }
}

/** @param {Place} place */
function isOneChunk ({ length }) {
  return length > 0 && length <= CHUNK
}

/**
 * Returns the generation of the newest ancestor that the reader has.
 *
 * @param {Document} document
 * @param {DocumentRecord} record
 * @param {string[]} attsSince
 */
function newestKnown (document, record, attsSince) {
  const revs = new Set(attsSince)
  let node = record.revisions.get(document.rev) ?? null
  while (node !== null && !revs.has(node.rev)) node = node.parent
  return node === null ? 0 : node.generation
}

/**
 * @param {import('../store/core').Core} core
 * @param {string} id
 * @param {string} name
 * @param {{ rev?: string, document?: import('../..').Document }} options
 * @param {typeof import('../reading/get').get} get
 * @returns {ReturnType<import('../..').DocumentStore['getAttachment']>}
 */
async function getAttachment (core, id, name, { rev, document: known } = {}, get) {
  core.assertOpen()
  // If others write meanwhile, all is read from one moment. A pool's snapshot that nobody has any more is closed.
  let moment = core.keyspace.shared ? core.keyspace.snapshot() : undefined
  const onLarge = () => (moment ??= core.keyspace.snapshot())
  const document = known ?? await get(core, id, { rev, onLarge }, moment)
  const { attachments } = document
  if (attachments === null || !Object.hasOwn(attachments, name)) throw createError('MISSING_ATTACHMENT', { id })
  const place = await locate(core, attachments[name].digest, moment)
  const small = place.length <= SMALL ? await readContent(core, place, undefined, undefined, moment) : null
  const stored = small === null ? inLevel(core, place, () => moment ?? core.keyspace.snapshot()) : inMemory(small)
  const info = await infoOf(core, attachments[name], place, small ?? undefined, moment)
  const content = info.encoding === undefined ? stored : decoded(place.content, () => small ?? stored.stream())
  return { ...info, rev: document.rev, ...content, streamStored: stored.stream }
}

/** @typedef {{ read: (start?: number, end?: number) => Promise<Buffer>, stream: (start?: number, end?: number) => AsyncIterable<Buffer> }} Content */

/** @param {Buffer} bytes @returns {Content} */
function inMemory (bytes) {
  /** @param {number} [from] @param {number} [to] */
  const part = (from, to) => {
    const { start, end } = clamp(bytes, from, to)
    return start < end ? bytes.subarray(start, end) : Buffer.alloc(0)
  }
  return {
    read: async (start, end) => part(start, end),
    stream: async function * (start, end) { yield part(start, end) }
  }
}

/** @param {Core} core @param {Place} place @param {() => Snapshot} take @returns {Content} */
function inLevel (core, place, take) {
  return {
    read: (start, end) => readSnapshot(core, place, start, end, take),
    stream: (start, end) => streamSnapshot(core, place, start, end, take)
  }
}

/** @param {string} name @param {() => Buffer | AsyncIterable<Buffer>} stored @returns {Content} */
function decoded (name, stored) {
  return {
    read: (start, end) => decodePart(name, stored(), start, end),
    stream: (start, end) => decodeStream(name, stored(), start, end)
  }
}

/**
 * Returns what is said of an attachment. Older versions took as gzip whatever was sent as such: if it does not begin like
 * that, it is plain content.
 *
 * @param {Core} core
 * @param {AttachmentInfo} info
 * @param {Place} place
 * @param {Buffer} [small] all of it, where it is little
 * @param {Snapshot} [moment]
 * @returns {Promise<AttachmentInfo>}
 */
async function infoOf (core, info, place, small, moment) {
  if (info.encoding === undefined) return info
  const head = small ?? await readContent(core, place, 0, GZIP.length, moment)
  if (head.subarray(0, GZIP.length).equals(GZIP)) return info
  const { encoding, encodedLength, ...rest } = info
  return { ...rest, length: /** @type {number} */ (encodedLength) }
}

/**
 * @param {Core} core
 * @param {Place} place
 * @param {number | undefined} start
 * @param {number | undefined} end
 * @param {() => Snapshot} take
 */
async function readSnapshot (core, place, start, end, take) {
  core.assertOpen()
  if (place.length <= CHUNK && !core.keyspace.shared) return readContent(core, place, start, end)
  const snapshot = take()
  const release = core.hold(() => snapshot.close())
  try {
    return await readContent(core, place, start, end, snapshot)
  } finally {
    await release()
  }
}

/**
 * Pages through content that stays readable to its end, whatever is written or compacted meanwhile.
 *
 * @param {Core} core
 * @param {Place} place
 * @param {number | undefined} from
 * @param {number | undefined} to
 * @param {() => Snapshot} take
 */
async function * streamSnapshot (core, place, from, to, take) {
  core.assertOpen()
  const { start, end } = clamp(place, from, to)
  const snapshot = take()
  const release = core.hold(() => snapshot.close())
  try {
    for await (const part of streamContent(core, place, start, end, snapshot)) {
      yield part
      await core.keyspace.turn()
      core.assertOpen()
    }
  } finally {
    await release()
  }
}

module.exports = { loadAttachments, getAttachment, readContent }
