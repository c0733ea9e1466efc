'use strict'

/** From what is said only to those who look for a mistake, to the end of the world, and nothing at all. */
const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency', 'none']

/** CouchDB hears these too. @type {Record<string, string>} */
const SHORT = { warn: 'warning', err: 'error', crit: 'critical', emerg: 'emergency' }

/**
 * @param {string} name of a level, short or long
 * @returns {number} its place in LEVELS; that of `warning` for what is none
 */
function rankOf (name) {
  const rank = LEVELS.indexOf(Object.hasOwn(SHORT, name) ? SHORT[name] : name)
  return rank === -1 ? LEVELS.indexOf('warning') : rank
}

const NOTICE = LEVELS.indexOf('notice')
const ERROR = LEVELS.indexOf('error')

module.exports = { LEVELS, SHORT, rankOf, NOTICE, ERROR }
