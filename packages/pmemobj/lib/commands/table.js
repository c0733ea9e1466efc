'use strict'

/**
 * Rows as lines, the first column to the left, all others to the right.
 *
 * @param {string[][]} rows
 */
function tableOf (rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map(row => row[column].length)))
  return rows.map(row => row.map((cell, column) => column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column])).join('  '))
}

/** @param {number} number @param {string} noun whose plural ends in s */
function count (number, noun) {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}

module.exports = { count, tableOf }
