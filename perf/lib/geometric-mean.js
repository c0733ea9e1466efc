'use strict'

/**
 * @param {number[]} numbers above 0, at least one
 * @returns {number}
 */
function geometricMean (numbers) {
  return Math.exp(numbers.reduce((sum, number) => sum + Math.log(number), 0) / numbers.length)
}

module.exports = { geometricMean }
