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

/**
 * @param {number[]} numbers above 0, at least one
 * @returns {number}
 */
function geometricMean (numbers) {
  return Math.exp(numbers.reduce((sum, number) => sum + Math.log(number), 0) / numbers.length)
}

module.exports = { geometricMean, median }
