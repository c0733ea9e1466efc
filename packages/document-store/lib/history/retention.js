'use strict'

const { badRequest } = require('@potoroo/errors')
const { put, del } = require('../media/keyspace')

/**
 * @import { Core } from '../store/core'
 * @import { Commit } from '../commit/commit'
 * @import { Version } from './version'
 *
 * @typedef {object} Retention says what is kept, at `m history` as JSON; where it is not there, nothing is
 * @property {string | null} retain how long versions are kept that others have replaced; null for ever
 * @property {number | null} versions how many of each document; null for all
 * @property {number} since the sequence from which on everything is kept
 * @property {number} sinceTime the same as a time, milliseconds
 */

/** @type {Record<string, number>} */
const UNITS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000, y: 365 * 86_400_000 }

/** A thousand years: sums with it are exact. */
const LONGEST = 1000 * UNITS.y

/**
 * Reads a length of time.
 *
 * @param {unknown} text a number and a unit: `30d`
 * @returns {number} milliseconds
 */
function parseDuration (text) {
  const match = typeof text === 'string' ? /^([1-9]\d{0,14})([smhdwy])$/.exec(text) : null
  if (match === null) throw badRequest('`retain` must be a whole number and one of s, m, h, d, w and y, as in "30d"')
  const duration = Number(match[1]) * UNITS[match[2]]
  if (duration > LONGEST) throw badRequest('`retain` must be at most "1000y"')
  return duration
}

/**
 * Reads what is to be kept.
 *
 * @param {any} wanted `{ retain, versions }`, each may be null or missing; if both are, nothing is kept
 * @returns {{ retain: string | null, versions: number | null } | null}
 */
function readRetention (wanted) {
  if (typeof wanted !== 'object' || wanted === null || Array.isArray(wanted)) throw badRequest('History must be an object with `retain`, `versions` or both')
  const { retain = null, versions = null, ...others } = wanted
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) throw badRequest(`History has no \`${unknown}\`, but \`retain\` and \`versions\``)
  if (retain !== null) parseDuration(retain)
  if (versions !== null && !(Number.isSafeInteger(versions) && versions > 0)) throw badRequest('`versions` must be a positive integer')
  return retain === null && versions === null ? null : { retain, versions }
}

/** Whether a text is what is stored of it. @param {string} text */
function isRetention (text) {
  try {
    const { since, sinceTime, ...limits } = JSON.parse(text)
    return Number.isSafeInteger(since) && Number.isSafeInteger(sinceTime) && readRetention(limits) !== null
  } catch {
    return false
  }
}

/**
 * Returns the operation that stores it.
 *
 * @param {Core} core
 * @param {Retention | null} retention
 */
function storing ({ layout }, retention) {
  const key = layout.meta('history')
  return retention === null ? del(key) : put(key, JSON.stringify(retention))
}

/**
 * Sets what is kept from here on. Versions that need not be kept any more go at the next compaction.
 *
 * @param {Core} core
 * @param {any} wanted see `readRetention`
 */
async function setRetention (core, wanted) {
  core.assertOpen()
  const limits = readRetention(wanted)
  await core.queue.push({
    keys: [],
    kept: limits === null ? 'half' : undefined,
    /** @param {Commit} commit */
    apply (commit) {
      if (limits === null) return commit.setRetention(null)
      const { since, sinceTime } = commit.retention ?? commit.moment()
      commit.setRetention({ ...limits, since, sinceTime })
    }
  })
}

/** Decides which versions have to go: it is shown those of one document after another, the latest first. */
class Expiry {
  #oldest
  #versions
  /** @type {string | null} */
  #id = null
  #count = 0

  /**
   * @param {Retention | null} retention
   * @param {number} now milliseconds
   */
  constructor (retention, now) {
    this.#oldest = retention === null ? Infinity : retention.retain === null ? -Infinity : now - parseDuration(retention.retain)
    this.#versions = retention?.versions ?? Infinity
  }

  /**
   * @param {string} id
   * @param {Version} version
   * @param {number} [others] later versions that are not shown
   */
  isExpired (id, { untilTime }, others = 0) {
    if (id !== this.#id) {
      this.#id = id
      this.#count = others
    }
    return ++this.#count > this.#versions || untilTime < this.#oldest
  }
}

module.exports = { Expiry, isRetention, setRetention, storing }
