'use strict'

const crypto = require('node:crypto')
const { CHUNK, decodeAttachment, encodeAttachment } = require('../attachments/attachment-store')
const { guarded } = require('./guarded')

/**
 * @import { Scan } from './scan'
 * @import { StoredAttachment } from '../attachments/attachment-store'
 */

/**
 * Checks digests, their references and contents; runs after all revisions were read.
 *
 * @param {Scan} scan
 */
async function * checkAttachments (scan) {
  const { layout } = scan
  /** @type {Map<string, number>} */
  const lengths = new Map()
  for await (const page of scan.entries(layout.range(layout.attachments))) {
    for (const [key, text] of page) {
      const digest = key.slice(layout.attachments.length)
      const attachment = decodeAttachment(text)
      if (encodeAttachment(attachment) !== text) yield `The record of attachment ${digest} is garbled`
      lengths.set(attachment.content, attachment.length)
      scan.found.attachments += attachment.length
      yield * checkReferences(scan, digest, attachment)
      yield * guarded(`The content of attachment ${digest}`, checkContent(scan, digest, attachment))
    }
  }
  if (!scan.damage.found) for (const digest of scan.references.keys()) yield `The attachment ${digest} is missing`
  const orphans = yield * checkMarkers(scan, lengths)
  if (!scan.damage.found) yield * checkChunks(scan, lengths, orphans)
}

/**
 * Checks contents that no document refers to, not yet or no longer: opening the database removes what a marker names.
 *
 * @param {Scan} scan
 * @param {Map<string, number>} lengths
 */
async function * checkMarkers (scan, lengths) {
  const { layout } = scan
  const orphans = new Set()
  for await (const page of scan.keys(layout.range(layout.uploads))) {
    for (const key of page) {
      const content = layout.contentOf(key)
      if (lengths.has(content)) yield `An attachment needs the content ${content}, and opening the database would remove it`
      else scan.onLeftover(`Opening the database removes the content ${content}, which no document refers to`)
      orphans.add(content)
    }
  }
  return orphans
}

/** @param {Scan} scan @param {string} digest @param {StoredAttachment} attachment */
function * checkReferences ({ references, damage }, digest, attachment) {
  const found = references.get(digest) ?? 0
  references.delete(digest)
  if (found !== attachment.references && !damage.found) {
    yield `The attachment ${digest} counts ${attachment.references} references, and has ${found}`
  }
}

/** @param {Scan} scan @param {string} digest @param {StoredAttachment} attachment */
async function * checkContent (scan, digest, { content, length }) {
  const hash = crypto.createHash('md5')
  for (let number = 0; number * CHUNK < length; number++) {
    const [chunk] = await scan.getBinary([scan.layout.chunk(content, number)])
    if (chunk?.length !== Math.min(CHUNK, length - number * CHUNK)) {
      yield `The attachment ${digest} lacks bytes from ${number * CHUNK} on`
      return
    }
    hash.update(chunk)
    await scan.keyspace.turn()
  }
  if ('md5-' + hash.digest('base64') !== digest) yield `The content of attachment ${digest} has another digest`
}

/**
 * Finds chunks that no attachment needs, and that no marker names.
 *
 * @param {Scan} scan
 * @param {Map<string, number>} lengths
 * @param {Set<string>} orphans
 */
async function * checkChunks (scan, lengths, orphans) {
  const { layout } = scan
  for await (const page of scan.keys(layout.range(layout.chunks))) {
    for (const key of page) {
      const { content, number } = layout.chunkOf(key)
      const known = number * CHUNK < (lengths.get(content) ?? 0) || orphans.has(content)
      if (!known || layout.chunk(content, number) !== key) yield `The chunk at ${JSON.stringify(key)} belongs to no attachment`
    }
  }
}

module.exports = { checkAttachments }
