'use strict'

/** Milliseconds of the first rest after a crash, and how often it doubles. */
const REST = 30000
const DOUBLINGS = 10

/**
 * An event of a job; the newest is first.
 * @typedef {{ type: 'added' | 'started' | 'stopped' | 'crashed', at: number, reason?: string }} Event
 */

/**
 * Crashes since it last ran for as long as a healthy job does.
 *
 * @param {Event[]} history
 * @param {number} healthy seconds
 */
function consecutiveCrashes (history, healthy) {
  let count = 0
  for (let i = 0; i < history.length; i++) {
    const { type, at } = history[i]
    const before = history[i + 1]
    if (type === 'stopped' && before?.type === 'started') break
    if (type !== 'crashed' || before === undefined) continue
    if (at - before.at > healthy * 1000) break
    count++
  }
  return count
}

/**
 * Returns the milliseconds that a job rests after a number of crashes.
 *
 * @param {number} crashes
 */
function backoff (crashes) {
  return REST * 2 ** Math.min(Math.max(crashes, 1) - 1, DOUBLINGS)
}

/**
 * As CouchDB writes times in `_scheduler` and in documents.
 *
 * @param {number} milliseconds
 */
function isoTime (milliseconds) {
  return `${new Date(milliseconds).toISOString().slice(0, 19)}Z`
}

module.exports = { consecutiveCrashes, backoff, isoTime }
