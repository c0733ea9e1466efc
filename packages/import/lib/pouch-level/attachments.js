'use strict'

const { ImportError } = require('../import/import-error')
const { BINARIES } = require('./keys')
const { UTF8 } = require('./open')

const BINARY = Object.freeze({ keyEncoding: 'utf8', valueEncoding: 'buffer' })

/** Bytes up to which content is read along with its document. */
const SMALL = 64 * 1024

/** Bytes that a stream gives at a time. */
const SLICE = 256 * 1024

/**
 * The attachments of a stored revision.
 *
 * @typedef {import('classic-level').ClassicLevel<string, string>} Level
 * @typedef {import('../import/source').Attachment} Attachment
 *
 * @param {Level} level
 * @param {Record<string, any> | undefined} stored the member `_attachments`
 * @param {boolean} content whether small content is read along
 * @returns {Promise<Attachment[]>}
 * @throws DAMAGED where content is missing
 */
async function readAttachments (level, stored, content) {
  const names = Object.keys(stored ?? {})
  return Promise.all(names.map(name => readAttachment(level, name, /** @type {any} */ (stored)[name], content)))
}

/** @param {Level} level @param {string} name @param {Record<string, any>} stub @param {boolean} content @returns {Promise<Attachment>} */
async function readAttachment (level, name, { content_type: contentType, digest, length, revpos }, content) {
  const attachment = { name, contentType, digest, length: length ?? null, revpos: revpos ?? null, encoded: null, data: null, open: null }
  if (content && (length === undefined || length <= SMALL)) return { ...attachment, data: await readContent(level, attachment) }
  if (length !== 0 && !await level.has(BINARIES + digest, UTF8)) throw missing(attachment)
  return { ...attachment, open: () => sliceContent(level, attachment) }
}

/**
 * PouchDB stores nothing where content is empty.
 * @param {Level} level
 * @param {Attachment} attachment
 * @returns {Promise<Buffer>}
 */
async function readContent (level, attachment) {
  const content = /** @type {Buffer | undefined} */ (/** @type {unknown} */ (await level.get(BINARIES + attachment.digest, BINARY)))
  if (content === undefined && attachment.length !== 0) throw missing(attachment)
  return content ?? Buffer.alloc(0)
}

/**
 * LevelDB gives values whole, so one of them is in memory while it is copied.
 * @param {Level} level
 * @param {Attachment} attachment
 */
async function * sliceContent (level, attachment) {
  const content = await readContent(level, attachment)
  for (let at = 0; at < content.length; at += SLICE) yield content.subarray(at, at + SLICE)
}

/** @param {Attachment} attachment */
function missing ({ name, digest }) {
  return new ImportError('DAMAGED', { why: `the content of attachment ${name} (${digest}) is missing` })
}

module.exports = { readAttachments }
