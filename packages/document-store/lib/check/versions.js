'use strict'

const { decodeVersion } = require('../history/version')
const { DocumentRecord, encodeOrigin } = require('../media/record')
const { encodeRevision } = require('../revision-tree/revision')
const { guarded } = require('./guarded')
const { checkPayload } = require('./payload')

/**
 * @import { Scan } from './scan'
 * @import { Version } from '../history/version'
 */

/**
 * Checks each version that another one has replaced: it says what it is, and belongs to a document that came later.
 *
 * @param {Scan} scan
 */
async function * checkVersions (scan) {
  const { layout } = scan
  const last = { id: null, seq: 0 }
  for await (const page of scan.entries(layout.range(layout.versions))) {
    for (const [key, text] of page) yield * guarded(`The version at ${JSON.stringify(key)}`, checkVersion(scan, last, key, text))
  }
}

/**
 * @param {Scan} scan
 * @param {{ id: string | null, seq: number }} last the document of the version before, and its sequence
 * @param {string} key
 * @param {string} text
 */
async function * checkVersion (scan, last, key, text) {
  const { layout } = scan
  const { id, seq } = layout.versionOf(key)
  const what = `document ${JSON.stringify(id)} at ${seq}`
  if (id !== last.id) Object.assign(last, { id, seq: await sequenceOf(scan, id) })
  const version = decodeVersion(seq, text)
  if (layout.version(id, seq) !== key || !text.startsWith(headOf(version))) yield `The version of ${what} is garbled`
  // A document that cannot be read is told of elsewhere.
  if (version.until > last.seq && !scan.damage.found) yield `The version of ${what} belongs to no document`
  scan.found.versions++
  scan.found.history += Buffer.byteLength(text)
  if (version.payload !== null) yield * checkPayload(scan, `the version of ${what}`, version.payload)
}

/** @param {Version} version */
function headOf ({ deleted, until, untilTime, rev, time, user }) {
  return `${deleted ? 1 : 0}${until} ${untilTime.toString(36)} ${encodeRevision(rev)} ${time === 0 ? '' : encodeOrigin(time, user)}`
}

/** The sequence of a document; 0 if there is none that can be read. @param {Scan} scan @param {string} id */
async function sequenceOf (scan, id) {
  const [text] = await scan.getMany([scan.layout.document(id)])
  return text === undefined ? 0 : new DocumentRecord(text).seq
}

module.exports = { checkVersions, headOf }
