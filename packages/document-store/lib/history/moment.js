'use strict'

const { badRequest, createError } = require('@potoroo/errors')

/**
 * @import { Core } from '../store/core'
 * @import { Snapshot } from '../media/keyspace'
 * @import { Member } from '../access/member'
 * @import { Version } from './version'
 * @import { Retention } from './retention'
 */

/** Numbers below it are sequences, and others times: it is a day in 1973. */
const LEAST_TIME = 1e11

/** ISO 8601: a day, which begins in UTC, or a time of a day with its zone. */
const ISO = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d([.,]\d+)?)?(Z|[+-]\d\d(:?\d\d)?))?$/

const UNREADABLE = '`at` must be a time (ISO 8601 with its zone, or milliseconds) or an update sequence'

/** A moment in the history of a database: the state after one change, which its sequence or a time names. */
class Moment {
  #seq
  #time
  #since

  /**
   * @param {{ seq?: number, time?: number }} place one of both
   * @param {Retention} retention
   */
  constructor ({ seq, time }, { since, sinceTime }) {
    this.#seq = seq
    this.#time = time
    this.#since = seq === undefined ? sinceTime : since
  }

  /** The sequence that it is known by; undefined of a time. */
  get seq () { return this.#seq }
  /** Whether everything of then is kept. */
  get isWhole () { return this.#of(this.#seq, this.#time) >= this.#since }

  /** @param {number | undefined} seq @param {number | undefined} time @returns {number} the one that counts */
  #of (seq, time) { return /** @type {number} */ (this.#seq === undefined ? time : seq) }

  /** Whether a version was made then or before. @param {Version} version */
  isAfter ({ seq, time }) {
    // A version whose time is not known was there before anything was kept.
    if (time === 0 && this.#seq === undefined) return this.isWhole
    return this.#of(seq, time) <= this.#of(this.#seq, this.#time)
  }

  /** Whether a version had been replaced by then. @param {Version} version */
  isBeyond ({ until, untilTime }) { return this.#of(until, untilTime) <= this.#of(this.#seq, this.#time) }
}

/**
 * Reads a moment that a caller names.
 *
 * @param {unknown} at a Date, milliseconds, ISO 8601, or an update sequence
 * @returns {{ seq: number } | { time: number }}
 */
function parseMoment (at) {
  if (at instanceof Date) return timeOf(at.getTime())
  if (typeof at === 'string' && ISO.test(at) && isDay(at.slice(0, 10))) return timeOf(Date.parse(at.replace(',', '.').replace(/([+-]\d\d)(\d\d)?$/, zoneOf)))
  const number = typeof at === 'string' && /^\d{1,16}$/.test(at) ? Number(at) : at
  if (!Number.isSafeInteger(number) || /** @type {number} */ (number) < 0) throw badRequest(UNREADABLE)
  return /** @type {number} */ (number) < LEAST_TIME ? { seq: /** @type {number} */ (number) } : timeOf(/** @type {number} */ (number))
}

/** Whether there is such a day: `Date` takes February 31st for March 3rd. @param {string} text */
function isDay (text) {
  const time = Date.parse(text)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
}

/** `+0200` and `+02` are `+02:00`; the end of a date is none. @param {string} zone @param {string} hours @param {string | undefined} minutes @param {number} at */
function zoneOf (zone, hours, minutes, at) { return at < 11 ? zone : `${hours}:${minutes ?? '00'}` }

/** @param {number} time */
function timeOf (time) {
  if (!(Number.isSafeInteger(time) && time >= 0)) throw badRequest(UNREADABLE)
  return { time }
}

/**
 * Returns the moment that a caller names, of which something can be known.
 *
 * @param {Core} core
 * @param {unknown} at
 * @param {Member | undefined} as
 * @param {Snapshot} snapshot in which it is looked for: it says what is kept there
 * @returns {Promise<Moment>}
 * @throws bad_request of one to come, or that cannot be read; gone where the database keeps no history
 */
async function momentOf (core, at, as, snapshot) {
  const place = parseMoment(at)
  // Sequences count what others write, too.
  if (as !== undefined && 'seq' in place) throw badRequest('`at` must be a time')
  const { seq, time } = core.totals
  const isToCome = 'seq' in place ? place.seq > seq : place.time > Math.max(core.options.now(), time)
  const retention = await core.keyspace.get(core.layout.meta('history'), snapshot)
  core.assertOpen()
  if (retention === undefined) throw keepsNone()
  if (isToCome) throw badRequest('`at` is in the future')
  return new Moment(place, JSON.parse(retention))
}

function keepsNone () { return createError('NOT_RETAINED', { reason: 'The database keeps no history' }) }

/** @param {Record<string, any>} [properties] */
function notRetained (properties) { return createError('NOT_RETAINED', properties) }

module.exports = { Moment, momentOf, notRetained, parseMoment }
