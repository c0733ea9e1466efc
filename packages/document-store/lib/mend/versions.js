'use strict'

const { decodeVersion } = require('../history/version')
const { headOf } = require('../check/versions')
const { DocumentRecord } = require('../media/record')
const { isPayload } = require('./document')

/**
 * @import { Mending } from './mending'
 * @import { KeptAttachments } from './attachments'
 * @import { Version } from '../history/version'
 * @import { Loss } from '../..'
 */

/**
 * Mends the versions of documents that others have replaced, once the documents are mended: those that are damaged, and
 * those of documents that are lost, are removed.
 *
 * @param {Mending} mending
 * @param {KeptAttachments} attachments
 * @returns {AsyncGenerator<Loss>}
 */
async function * mendVersions (mending, attachments) {
  const { layout } = mending
  for await (const page of mending.entries(layout.range(layout.versions))) {
    for (const [key, text] of page) yield * mendVersion(mending, attachments, key, text)
  }
  await mending.flush()
}

/**
 * @param {Mending} mending
 * @param {KeptAttachments} attachments
 * @param {string} key
 * @param {string} text
 * @returns {AsyncGenerator<Loss>}
 */
async function * mendVersion (mending, attachments, key, text) {
  const { layout } = mending
  const { id, seq } = layout.versionOf(key)
  const version = layout.version(id, seq) === key ? readVersion(seq, text) : null
  if (version === null || !await isReplaced(mending, id, version)) {
    yield { kind: 'version', id, seq }
    return mending.remove(key)
  }
  const mended = yield * keepAttachments(attachments, id, version, text)
  if (mended !== text) await mending.put(key, mended)
  mending.versions++
  mending.history += Buffer.byteLength(mended)
  mending.lastTime = Math.max(mending.lastTime, version.untilTime)
}

/** @param {number} seq @param {string} text @returns {Version | null} null where it is damaged */
function readVersion (seq, text) {
  try {
    const version = decodeVersion(seq, text)
    const { payload, until, untilTime } = version
    const isSound = Number.isSafeInteger(untilTime) && until > seq && text === headOf(version) + (payload === null ? '' : `\n${payload}`)
    return isSound && (payload === null || isPayload(payload)) ? version : null
  } catch {
    return null
  }
}

/** Whether there is a document that came later. @param {Mending} mending @param {string} id @param {Version} version */
async function isReplaced (mending, id, { until }) {
  const text = await mending.get(mending.layout.document(id))
  return text !== undefined && new DocumentRecord(text).seq >= until
}

/**
 * @param {KeptAttachments} attachments
 * @param {string} id
 * @param {Version} version
 * @param {string} text
 * @returns {AsyncGenerator<Loss, string>} the text without the attachments that are lost
 */
async function * keepAttachments (attachments, id, version, text) {
  if (version.payload === null) return text
  const { payload, lost } = attachments.keep(version.payload)
  for (const loss of lost) yield { kind: 'attachment', id, rev: version.rev, ...loss }
  return payload === version.payload ? text : `${headOf(version)}\n${payload}`
}

module.exports = { mendVersions }
