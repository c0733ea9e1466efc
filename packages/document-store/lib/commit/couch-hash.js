'use strict'

const crypto = require('node:crypto')
const { namesOf } = require('../json/carried-text')
const { inTurns } = require('../json/turn')
const { TermWriter } = require('./external-term')

const writer = new TermWriter()

/** Bytes of the list around the body, without attachments. */
const FRAME = 2048

/**
 * The hash as CouchDB makes it: the MD5 of `[Deleted, OldStart, OldRev, Body, Attachments]` in Erlang's
 * external format.
 *
 * @param {boolean} deleted
 * @param {string | null} parent
 * @param {Record<string, Attachment>} attachments
 * @param {string} body
 * @param {Terms} [terms]
 * @see https://github.com/apache/couchdb/blob/3.5.0/src/couch/src/couch_db.erl `new_revid`
 *
 * @typedef {{ body?: Buffer, attachments?: Buffer, sent?: import('../json/bare-text').BareText }} Terms of a long body, and of very many attachments: see
 *   `bodyTerm`, `attachmentsTerm`; sent: the same as `body`
 * @typedef {{ contentType: string, digest: string }} Attachment
 */
function couchHash (deleted, parent, attachments, body, terms = {}) {
  const names = terms.attachments === undefined ? namesOf(attachments) : []
  let bytes = FRAME
  for (const name of names) bytes += sizeOf(name, attachments[name])
  writer.begin(terms.body === undefined ? body.length : 0, bytes)
  writer.list(5)
  writer.atom(deleted ? 'true' : 'false')
  writeParent(parent)
  if (terms.body === undefined && terms.attachments === undefined) {
    if (terms.sent === undefined) writer.json(body)
    else terms.sent.writeTo(writer)
    writeEnd(names, attachments)
    return crypto.hash('md5', writer.end())
  }
  const hash = crypto.createHash('md5')
  if (terms.body === undefined) writer.json(body)
  hash.update(writer.end())
  if (terms.body !== undefined) hash.update(terms.body)
  if (terms.attachments !== undefined) return hash.update(terms.attachments).digest('hex')
  writer.begin(0, bytes)
  writeEnd(names, attachments)
  return hash.update(withoutVersion(writer.end())).digest('hex')
}

/** A term begins with its version. @param {Buffer} term */
function withoutVersion (term) { return term.subarray(1) }

/**
 * A long body: others run in between.
 *
 * @param {string} body
 * @returns {Promise<Buffer>}
 */
async function bodyTerm (body) {
  const own = new TermWriter()
  own.begin(body.length, FRAME)
  await own.jsonInTurns(body)
  // A copy: the writer had room for more.
  return Buffer.from(withoutVersion(own.end()))
}

/**
 * The end of that list, from the attachments on: others run in between where there are very many.
 *
 * @param {Record<string, Attachment>} infos one or more
 * @returns {Promise<Buffer>}
 */
async function attachmentsTerm (infos) {
  const names = [...namesOf(infos)].reverse()
  let bytes = FRAME
  await inTurns(names, (name) => { bytes += sizeOf(name, infos[name]) })
  const own = new TermWriter()
  own.begin(0, bytes)
  own.list(names.length)
  await inTurns(names, (name) => writeAttachment(own, name, infos[name]))
  own.nil()
  own.nil()
  return withoutVersion(own.end())
}

/**
 * Bytes of an attachment's tuple at most.
 *
 * @param {string} name
 * @param {Attachment} options
 */
function sizeOf (name, { contentType, digest }) { return 32 + 3 * (name.length + contentType.length + digest.length) }

/** A hash as it mostly is stands for 16 bytes to CouchDB; others are texts. @param {string | null} parent */
function writeParent (parent) {
  if (parent === null) {
    writer.integer(0)
    writer.integer(0)
    return
  }
  const dash = parent.indexOf('-')
  const hash = parent.slice(dash + 1)
  writer.integer(Number(parent.slice(0, dash)))
  if (!writer.digest(hash)) writer.binary(hash)
}

/**
 * The end of the list. CouchDB gathers attachments from the last to the first.
 *
 * @param {string[]} names
 * @param {Record<string, Attachment>} attachments
 */
function writeEnd (names, attachments) {
  if (names.length > 0) writer.list(names.length)
  for (let i = names.length - 1; i >= 0; i--) writeAttachment(writer, names[i], attachments[names[i]])
  writer.nil()
  writer.nil()
}

/** @param {TermWriter} to @param {string} name @param {Attachment} options */
function writeAttachment (to, name, { contentType, digest }) {
  to.tuple(3)
  to.binary(name)
  to.binary(contentType)
  if (digest.startsWith('md5-')) to.binary(digest.slice(4), 'base64')
  else to.binary(digest)
}

module.exports = { attachmentsTerm, bodyTerm, couchHash }
