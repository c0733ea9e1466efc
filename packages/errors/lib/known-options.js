'use strict'

const { nearestOf } = require('./nearest-name')

/**
 * Refuses options that a function does not have: a misspelt one would be ignored in silence. One that is undefined says nothing, and passes.
 *
 * @param {unknown} options undefined: none
 * @param {readonly string[]} known
 * @param {string} of the function, as its caller writes it: `Pool.open()`
 * @throws TypeError that names the first unknown option, and the nearest known one
 */
function checkOptions (options, known, of) {
  if (options === undefined) return
  if (typeof options !== 'object' || options === null || Array.isArray(options)) throw new TypeError(`The options of ${of} must be an object`)
  for (const [name, value] of Object.entries(options)) if (value !== undefined && !known.includes(name)) throw new TypeError(unknownOption(name, known, of))
}

/** @param {string} name @param {readonly string[]} known @param {string} of */
function unknownOption (name, known, of) {
  if (known.length === 0) return `${of} has no option ${name}: it takes none`
  const nearest = nearestOf(name, known)
  return `${of} has no option ${name}${nearest === undefined ? `: its options are ${known.join(', ')}` : `; do you mean ${nearest}?`}`
}

/**
 * Tells of a member that an object does not have, and of the nearest one that it may have.
 *
 * @param {object} given a member that is undefined says nothing, and passes
 * @param {readonly string[]} known
 * @param {string} of the object, as its reader knows it: `A transaction`
 * @returns {string | undefined} undefined: all of its members are known
 */
function unknownMember (given, known, of) {
  const [strange] = Object.entries(given).find(([name, value]) => value !== undefined && !known.includes(name)) ?? []
  if (strange === undefined) return undefined
  const nearest = nearestOf(strange, known)
  return `${of} has no \`${strange}\`${nearest === undefined ? '' : `; do you mean \`${nearest}\`?`}`
}

module.exports = { checkOptions, nearestOf, unknownMember }
