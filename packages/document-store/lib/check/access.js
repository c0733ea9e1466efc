'use strict'

const { readersOf } = require('../access/access-list')
const { decodeGone, decodeTimes, isGone } = require('../access/access-rows')
const { decodeNumber, encodeNumber } = require('../media/layout')
const { decodeChange, DocumentRecord } = require('../media/record')
const { isObject } = require('./payload')

/**
 * @import { Layout } from '../media/layout'
 * @import { Scan } from './scan'
 *
 * @typedef {object} Source what is read: a Scan, or what mends
 * @property {Layout} layout
 * @property {(range: { gte: string, lt: string }) => AsyncIterable<Array<[string, string]>>} entries
 * @property {(keys: string[]) => Promise<Array<string | undefined>>} getMany
 *
 * @typedef {{ sentence: string, key: string, text?: string }} Fault text: what has to be there; undefined: nothing
 */

/**
 * Checks the rows by principal against the documents. Other databases have none.
 *
 * @param {Scan} scan
 */
async function * checkAccess (scan) {
  if (scan.damage.found) return
  const text = await scan.keyspace.get(scan.layout.meta('database'), scan.snapshot)
  const byDocument = text !== undefined && isObject(text) && JSON.parse(text).accessKey !== undefined
  for await (const { sentence } of accessFaults(scan, byDocument)) yield sentence
}

/**
 * Finds rows by principal that are wrong, or missing.
 *
 * @param {Source} source
 * @param {boolean} byDocument
 * @returns {AsyncGenerator<Fault>}
 */
async function * accessFaults (source, byDocument) {
  const { layout } = source
  if (byDocument) yield * missingRows(source)
  for await (const page of source.entries(layout.range(layout.access))) {
    for (const [key, text] of page) if (!byDocument || !await isRight(source, key.slice(layout.access.length), text)) yield { sentence: `The row by principal at ${JSON.stringify(key)} is of no document`, key }
  }
  for await (const page of source.entries(layout.range(layout.gone))) {
    for (const [key, text] of page) if (!byDocument || !await isRightFormer(source, key.slice(layout.gone.length), text)) yield { sentence: `What is told of ${JSON.stringify(key)} is garbled`, key }
  }
  if (byDocument) return
  for await (const page of source.entries(layout.range(layout.ownLocals))) {
    for (const [key] of page) yield { sentence: `The local document at ${JSON.stringify(key)} is of no user`, key }
  }
}

/** @param {Source} source @returns {AsyncGenerator<Fault>} */
async function * missingRows (source) {
  const { layout } = source
  for await (const page of source.entries(layout.range(layout.documents))) {
    for (const [key, text] of page) {
      const id = layout.idOf(key)
      const { access, deleted, seq } = new DocumentRecord(text)
      for (const principal of readersOf(id, access)) {
        const change = layout.seenChanges(principal) + encodeNumber(seq)
        const place = layout.seenIds(principal) + id
        const [flag, times] = await source.getMany([change, place])
        const sentence = `The document ${JSON.stringify(id)} is not listed for ${principal}`
        if (flag !== (deleted ? '1' : '0')) yield { sentence, key: change, text: deleted ? '1' : '0' }
        if (!areTimes(times, seq)) yield { sentence, key: place, text: String(seq) }
      }
    }
  }
}

/** Whether they say that a document is seen now: see access-rows.js. @param {string | undefined} text @param {number} seq of its last change */
function areTimes (text, seq) {
  if (text === undefined || !/^[1-9]\d*(,[1-9]\d*)*$/.test(text)) return false
  const times = decodeTimes(text)
  return times.length % 2 === 1 && times.every((time, i) => time <= seq && time > (times[i - 1] ?? 0))
}

/** @param {Source} source @param {string} row its key, from the principal on @param {string} text */
async function isRight (source, row, text) {
  const slash = row.indexOf('/')
  const principal = row.slice(0, slash)
  const rest = row.slice(slash + 2)
  if (row[slash + 1] === 'd') return isReader(source, principal, rest)
  if (row[slash + 1] !== 's') return false
  const { layout } = source
  const [change] = await source.getMany([layout.sequence(decodeNumber(rest))])
  // Its text is compared with the document.
  if (change !== undefined && await isReader(source, principal, decodeChange(change).id)) return true
  if (!isGone(text)) return false
  const { id } = decodeGone(text)
  const [former] = await source.getMany([layout.former(id)])
  return former !== undefined && isObject(former) && JSON.parse(former)[principal] === decodeNumber(rest)
}

/** @param {Source} source @param {string} principal @param {string} id */
async function isReader (source, principal, id) {
  const [text] = await source.getMany([source.layout.document(id)])
  return text !== undefined && readersOf(id, new DocumentRecord(text).access).includes(principal)
}

/** @param {Source} source @param {string} id @param {string} text */
async function isRightFormer (source, id, text) {
  if (!isObject(text)) return false
  const { layout } = source
  const entries = Object.entries(JSON.parse(text))
  const rows = await source.getMany(entries.map(([principal, seq]) => layout.seenChanges(principal) + encodeNumber(seq)))
  return entries.length > 0 && rows.every(row => row !== undefined && isGone(row) && decodeGone(row).id === id)
}

module.exports = { accessFaults, checkAccess }
