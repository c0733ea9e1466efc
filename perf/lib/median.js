'use strict'

/**
 * @param {number[]} numbers at least one
 * @returns {number} the middle one, or the mean of the two in the middle
 */
function median (numbers) {
  const sorted = [...numbers].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

module.exports = { median }
