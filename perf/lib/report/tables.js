'use strict'

/**
 * @param {string[][]} rows the first one holds the titles; all of equal length
 * @param {{ markdown: boolean }} options Markdown, or columns for a terminal
 */
function formatTable (rows, { markdown }) {
  return markdown ? formatMarkdown(rows) : formatColumns(rows)
}

function formatMarkdown ([titles, ...rows]) {
  const line = (cells) => `| ${cells.join(' | ')} |`
  return [line(titles), line(titles.map((_, column) => column === 0 ? '---' : '---:')), ...rows.map(line)].join('\n')
}

function formatColumns (rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)))
  return rows.map((row) => row
    .map((cell, column) => column === 0 ? cell.padEnd(widths[column]) : cell.padStart(widths[column]))
    .join('  ').trimEnd()).join('\n')
}

/** @param {number} time in µs */
function formatMicroseconds (time) {
  if (time < 1) return `${Math.round(time * 1000)} ns`
  return time < 1000 ? `${significant(time)} µs` : `${significant(time / 1000)} ms`
}

/** @param {number} ratio */
function formatRatio (ratio) {
  return ratio < 10 ? ratio.toPrecision(2) : String(Math.round(ratio))
}

function significant (number) {
  return number < 10 ? number.toFixed(1) : String(Math.round(number))
}

module.exports = { formatMicroseconds, formatRatio, formatTable }
