'use strict'

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

module.exports = { nearestOf }
