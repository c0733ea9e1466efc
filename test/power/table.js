'use strict'

/** Lines of a table in Markdown. @param {string[]} head @param {string[][]} rows */
function printTable (head, rows) {
  const line = cells => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map((_, i) => i === 0 ? '---' : '---:')), ...rows.map(line)]
}

module.exports = { printTable }
