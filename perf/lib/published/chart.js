'use strict'

const { formatRatio } = require('../report/tables')
const { escape, number, text } = require('./svg')

const ROW = 26
const LEFT = 330
const WIDTH = 860
const BAR = WIDTH - LEFT - 70
const TOP = 58
const COLOURS = ['#2f6f9f', '#c9822b']

/**
 * A chart of ratios: one bar a row and peer, on a logarithmic scale, as an SVG. It needs no program
 * to be drawn, and the same figures give the same bytes.
 *
 * @param {{ title: string, subtitle: string, groups: { name: string, bars: number[] }[] , series: string[] }} chart
 *   `bars`: one ratio of each series; NaN where there is none
 * @returns {string}
 */
function draw ({ title, subtitle, groups, series }) {
  const height = TOP + groups.length * ROW * series.length + 34
  const most = Math.max(...groups.flatMap(({ bars }) => bars.filter(Number.isFinite)), 10)
  const decades = Math.ceil(Math.log10(most))
  const x = ratio => LEFT + BAR * Math.max(0, Math.log10(Math.max(ratio, 1)) / decades)
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="13" role="img" aria-label="${escape(title)}">`,
    `<rect width="${WIDTH}" height="${height}" fill="#ffffff"/>`,
    text(16, 24, title, 'font-size="16" font-weight="bold"'),
    text(16, 44, subtitle, 'fill="#555555"'),
    ...grid(decades, x, height),
    ...groups.flatMap((group, index) => drawGroup(group, TOP + index * ROW * series.length, x, series)),
    '</svg>\n'
  ].join('\n')
}

function grid (decades, x, height) {
  return Array.from({ length: decades + 1 }, (_, power) => {
    const at = number(x(10 ** power))
    return `<line x1="${at}" y1="${TOP - 4}" x2="${at}" y2="${height - 26}" stroke="#dddddd"/>\n${text(at, height - 10, `${10 ** power} ×`, 'text-anchor="middle" fill="#555555"')}`
  })
}

function drawGroup ({ name, bars }, top, x, series) {
  const label = text(LEFT - 10, top + ROW * series.length / 2 + 4, name, 'text-anchor="end"')
  return [label, ...bars.flatMap((ratio, index) => {
    const y = top + index * ROW + 4
    if (!Number.isFinite(ratio)) return []
    const width = number(Math.max(x(ratio) - LEFT, 1))
    const note = `${formatRatio(ratio)} ×${series.length > 1 ? ` ${series[index]}` : ''}`
    return [`<rect x="${LEFT}" y="${y}" width="${width}" height="${ROW - 8}" fill="${COLOURS[index % COLOURS.length]}"/>`, text(LEFT + width + 6, y + ROW - 13, note)]
  })]
}

/**
 * The chart of a table that compares.
 *
 * @param {import('./results').Result} result
 * @returns {string | null} null where it has nothing to compare with
 */
function chartOf ({ title, compare, columns, rows }) {
  if (compare === 'none') return null
  const faster = compare === 'faster'
  const peer = columns.length - 1
  const shown = faster ? [0] : columns.map((_, index) => index).slice(1)
  const subtitle = faster
    ? `How many times as fast as ${columns[peer]} is ${columns[0]} (logarithmic)`
    : `How many times the time of ${columns[0]} a peer takes (logarithmic)`
  const series = shown.map(index => columns[index])
  const groups = rows.filter(({ cells }) => cells[0]?.time !== undefined)
    .map(({ name, cells }) => ({ name, bars: shown.map(index => cells[index]?.ratio ?? NaN) }))
  return draw({ title, subtitle: series.length === 1 && !faster ? `How many times the time of ${columns[0]} ${series[0]} takes (logarithmic)` : subtitle, groups, series })
}

module.exports = { chartOf, draw }
