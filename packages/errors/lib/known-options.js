'use strict'

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

/**
 * Returns the known name that a misspelt one is nearest to.
 *
 * @param {string} name
 * @param {readonly string[]} known
 * @returns {string | undefined} undefined: a third of its letters, or more than three, would have to change
 */
function nearestOf (name, known) {
  const most = Math.min(3, Math.max(1, Math.floor(name.length / 3)))
  const [nearest] = known.map(each => ({ each, distance: distanceOf(name.toLowerCase(), each.toLowerCase(), most) })).sort((a, b) => a.distance - b.distance)
  return nearest !== undefined && nearest.distance <= most ? nearest.each : undefined
}

/**
 * Counts the letters to add, take, change, or swap with the next one, after Damerau and Levenshtein.
 *
 * @param {string} one
 * @param {string} other
 * @param {number} most
 * @returns {number} Infinity where the lengths alone make it more than `most`
 */
function distanceOf (one, other, most) {
  if (Math.abs(one.length - other.length) > most) return Infinity
  const rows = [Array.from({ length: other.length + 1 }, (_, index) => index)]
  for (let i = 1; i <= one.length; i++) {
    const row = [i]
    for (let j = 1; j <= other.length; j++) {
      const isSwapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]
      row.push(Math.min(rows[i - 1][j] + 1, row[j - 1] + 1, rows[i - 1][j - 1] + (one[i - 1] === other[j - 1] ? 0 : 1), isSwapped ? rows[i - 2][j - 2] + 1 : Infinity))
    }
    rows.push(row)
  }
  return rows[one.length][other.length]
}

module.exports = { checkOptions, nearestOf, unknownMember }
