'use strict'

const { formatMicroseconds, formatRatio, formatTable } = require('../report/tables')
const { chartOf } = require('./chart')

const HEAD = `# Benchmarks

<!-- Made by \`node perf/bin/report.js\` from perf/results/published. Edit these, not this page. -->

CPU time counts here and not wall-clock time, as it depends less on what else a machine does. Trust the
ratios more than the figures. Each table names the machine and the command that prints it.
[perf/README.md](../perf/README.md) says how it is measured, and what a durable write is for each database.
`

const TAIL = `## Where Potoroo is not ahead

- Pulling from a server is less than twice as fast, or hardly more: most of that is PouchDB's HTTP client, the same for all.
- Massive documents (800 KB each) are written twice as fast: half of that is \`JSON.stringify\`.
- On classic-level, small binary attachments are read more slowly than by pouchdb-adapter-leveldb.
- On a disk, batches are slower than LevelDB's while the machine's cores are busy: [perf/README.md](../perf/README.md#ordinary-disks).
- In Persevere's test PHP on MariaDB takes less CPU time for updates, and half for queries by an index: [perf/README.md](../perf/README.md#perseveres-test-beside-php).
- Single puts gain less from more threads than reads do, and nothing beyond four or so: [perf/README.md](../perf/README.md#cores).
- Some work on persistent objects is faster elsewhere: [perf/README.md](../perf/README.md#persistent-objects).
`

/** @param {import('./results').Result[]} results @param {string[]} others sections @returns {string} docs/benchmarks.md */
function renderPage (results, others) {
  return [HEAD, ...results.map(renderResult), ...others, TAIL].join('\n')
}

/** @param {import('./results').Result} result */
function renderResult (result) {
  const { id, title, recorded, machine, about, commands, columns, rows } = result
  const table = formatTable([['', ...columns], ...rows.map(row => [row.name, ...row.cells.map(cell => formatCell(cell, result))])], { markdown: true })
  const chart = chartOf(result) === null ? [] : [`![${title}](charts/${id}.svg)`]
  return [`## ${title}`, about, `${machine}. Recorded on ${recorded}.`, ...chart, `\`\`\`sh\n${commands.join('\n')}\n\`\`\``, table, ''].join('\n\n').trimEnd() + '\n'
}

/** @param {import('./results').Cell | null} cell @param {import('./results').Result} result */
function formatCell (cell, { compare }) {
  if (cell === null) return '–'
  const figure = cell.text ?? (cell.time === undefined ? '' : formatMicroseconds(cell.time))
  if (cell.ratio === undefined) return figure
  const ratio = compare === 'faster' ? `${formatRatio(cell.ratio)} ×` : `× ${formatRatio(cell.ratio)}`
  return figure === '' ? ratio : `${figure} (${ratio})`
}

/**
 * @param {import('./results').Result[]} results
 * @param {any[]} summary
 * @returns {string} the table of README.md
 */
function renderSummary (results, summary) {
  const rows = summary.map(({ what, result, row, ours, peer, peerName }) => {
    const [mine, other] = [ours, peer].map(column => cellOf(results, result, row, column))
    const ratio = mine.ratio ?? other.ratio
    return [what, formatMicroseconds(mine.time), `${formatMicroseconds(other.time)} (${peerName})`, `${formatRatio(ratio)} ×`]
  })
  return formatTable([['', 'Potoroo', 'peer', 'ratio'], ...rows], { markdown: true })
}

/** @returns {import('./results').Cell} */
function cellOf (results, id, name, column) {
  const result = results.find(each => each.id === id)
  const cell = result?.rows.find(row => row.name === name)?.cells[result.columns.indexOf(column)]
  if (!cell) throw new Error(`No figure of ${column} for ${name} in ${id}`)
  return cell
}

module.exports = { cellOf, renderPage, renderSummary }
