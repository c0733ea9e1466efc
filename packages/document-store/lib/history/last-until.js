'use strict'

const { versionPages } = require('./version-rows')

/**
 * @import { Core } from '../store/core'
 * @import { Snapshot } from '../media/keyspace'
 * @import { Moment } from './moment'
 * @import { Version } from './version'
 */

/** Pages that are read one after the other, before the rest is searched. */
const PAGES = 2

/**
 * Finds the last of the versions of a document that were made until a moment, of those that others have replaced.
 *
 * @param {Core} core
 * @param {string} id
 * @param {Moment} moment
 * @param {Snapshot} snapshot
 * @returns {Promise<Version | null>}
 */
async function lastUntil (core, id, moment, snapshot) {
  let pages = 0
  let last = Infinity
  for await (const page of versionPages(core, id, { snapshot, seq: moment.seq })) {
    core.assertOpen()
    for (const { version } of page) {
      if (moment.isAfter(version)) return version
      last = version.seq - 1
    }
    if (++pages >= PAGES && last !== Infinity) return search(core, id, moment, last, snapshot)
  }
  return null
}

/**
 * Halves the sequences: a document may have very many versions, and large ones. Times go up with sequences.
 *
 * @param {Core} core
 * @param {string} id
 * @param {Moment} moment
 * @param {number} last of the sequences that may be it
 * @param {Snapshot} snapshot
 */
async function search (core, id, moment, last, snapshot) {
  /** @type {Version | null} */
  let found = null
  for (let low = 1, high = last; low <= high;) {
    const middle = Math.floor((low + high) / 2)
    const version = await latestOf(core, id, middle, snapshot)
    core.assertOpen()
    if (version === null || version.seq < low) {
      low = middle + 1
      continue
    }
    const isAfter = moment.isAfter(version)
    if (isAfter) found = version
    // One whose time is not known is before all others.
    if (isAfter || version.time === 0) low = middle + 1
    else high = version.seq - 1
  }
  return found
}

/** @param {Core} core @param {string} id @param {number} seq @param {Snapshot} snapshot @returns {Promise<Version | null>} */
async function latestOf (core, id, seq, snapshot) {
  for await (const [row] of versionPages(core, id, { snapshot, seq })) if (row !== undefined) return row.version
  return null
}

module.exports = { lastUntil }
