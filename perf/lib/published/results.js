'use strict'

const fs = require('node:fs')
const path = require('node:path')

/** Figures that are kept with the code: each file is a table of docs/benchmarks.md. */
const FOLDER = path.join(__dirname, '../../results/published')

/**
 * One figure. `time` is in µs; `text` is a figure that is no time. `ratio` compares it with the
 * table's measure and was computed before the figures were rounded.
 *
 * @typedef {{ time?: number, text?: string, ratio?: number }} Cell
 */

/**
 * @typedef {object} Result
 * @property {string} id the name of the file, without its number
 * @property {string} title
 * @property {string} recorded the day on which the figures came into the repository
 * @property {string} machine
 * @property {string} about the meaning of the figures, in Markdown
 * @property {string[]} commands that print them
 * @property {'slower' | 'faster' | 'none'} compare `slower`: a ratio says how many times the first
 *   column; `faster`: how many times as fast as the last one
 * @property {string[]} columns
 * @property {{ name: string, cells: (Cell | null)[] }[]} rows
 */

/** @returns {Result[]} in the order of their files' numbers */
function readResults () {
  return fs.readdirSync(FOLDER).filter(name => /^[1-9].*\.json$/.test(name)).sort()
    .map(name => ({ id: name.replace(/^\d+-|\.json$/g, ''), ...readJson(name) }))
}

/** @returns {any[]} the rows of README.md's table: each names a cell of a result, and a peer's */
function readSummary () { return readJson('0-summary.json').rows }

function readJson (name) { return JSON.parse(fs.readFileSync(path.join(FOLDER, name), 'utf8')) }

module.exports = { readResults, readSummary }
