'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { toCsv } = require('../growth/figures')
const { formatTable } = require('../report/tables')
const { drawCurves } = require('./curves')

/** Curves of costs against what grows: perf/bin/growth.js keeps them. */
const FILE = path.join(__dirname, '../../results/published/growth.json')

const TITLES = { documents: 'Documents of one database', databases: 'Databases with a document each', feeds: 'Open feeds of one database' }

/** @typedef {import('../growth/figures').Figure} Figure */
/** @typedef {{ recorded: string, machine: string, command: string, note?: string, figures: Figure[] }} Growth note: what else is to be known of them, written by hand */

/** @returns {Growth} */
function readGrowth () { return JSON.parse(fs.readFileSync(FILE, 'utf8')) }

/**
 * Keeps the curves of a run; those that it did not measure stay.
 *
 * @param {Figure[]} figures
 * @param {{ time: string, cores: number, cpu: string, node: string, load: number }} machine
 */
function publishGrowth (figures, { time, cores, cpu, node, load }) {
  const measured = new Set(figures.map(({ over, size }) => `${over} ${size}`))
  const { figures: former, note } = fs.existsSync(FILE) ? readGrowth() : { figures: [], note: undefined }
  const others = former.filter(({ over, size }) => !measured.has(`${over} ${size}`))
  const order = Object.keys(TITLES)
  const all = [...others, ...figures].sort((a, b) => order.indexOf(a.over) - order.indexOf(b.over) || a.size - b.size)
  const lines = all.map(({ value, ...figure }) => JSON.stringify({ ...figure, value: Number(value.toPrecision(3)) }))
  const about = { recorded: time.slice(0, 10), machine: `${cores} cores, ${cpu}, with a load of ${load.toFixed(0)} at the end; Node.js ${node.replace(/^v|\.\d+$/g, '')}`, command: 'nice node perf/bin/growth.js --publish', note }
  fs.writeFileSync(FILE, `${JSON.stringify(about).slice(0, -1)},"figures":[\n${lines.join(',\n')}\n]}\n`)
}

/** @param {Growth} growth @returns {string} the section of docs/benchmarks.md */
function renderGrowth ({ recorded, machine, command, note, figures }) {
  const parts = curvesOf(figures).map(({ over, sizes, rows }) => {
    const table = formatTable([['', ...sizes.map(size => size.toLocaleString('en-US'))], ...rows.map(({ name, values, unit }) => [name, ...values.map(value => value === undefined ? '–' : `${short(value)} ${unit}`)])], { markdown: true })
    return `### ${TITLES[over]}\n\n![${TITLES[over]}](charts/growth-${over}.svg)\n\n${table}`
  })
  return `## How costs grow

CPU time of the server, its memory without mapped files, and its files, on a pool in tmpfs; 10 connections. A chart shows how many
times the cost at the least size each is; both axes are logarithmic. All figures as CSV: [charts/growth.csv](charts/growth.csv).

${machine}. Recorded on ${recorded}.${note === undefined ? '' : ` ${note}`}

\`\`\`sh
${command}
\`\`\`

${parts.join('\n\n')}
`
}

/** @param {Growth} growth @returns {Record<string, string>} charts and CSV by their paths from the root */
function growthFiles ({ figures }) {
  const charts = curvesOf(figures).map(({ over, sizes, rows }) => [`docs/charts/growth-${over}.svg`, drawCurves({ title: TITLES[over], sizes, rows })])
  return { 'docs/charts/growth.csv': toCsv(figures), ...Object.fromEntries(charts) }
}

/** @param {Figure[]} figures */
function curvesOf (figures) {
  return Object.keys(TITLES).flatMap(over => {
    const own = figures.filter(each => each.over === over)
    const sizes = [...new Set(own.map(({ size }) => size))]
    const names = [...new Set(own.map(({ name }) => name))]
    const rows = names.map(name => {
      const values = sizes.map(size => own.find(each => each.name === name && each.size === size)?.value)
      return { name, unit: own.find(each => each.name === name)?.unit ?? '', values }
    })
    return sizes.length === 0 ? [] : [{ over, sizes, rows }]
  })
}

/** @param {number} value */
function short (value) { return value < 10 ? value.toFixed(1) : Math.round(value).toLocaleString('en-US') }

module.exports = { growthFiles, publishGrowth, readGrowth, renderGrowth }
