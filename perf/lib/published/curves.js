'use strict'

const { escape, number, text } = require('./svg')

const WIDTH = 860
const LEFT = 60
const RIGHT = 560
const TOP = 58
const HEIGHT = 420
const LABEL = 15
const COLOURS = ['#2f6f9f', '#c9822b', '#4a8f4f', '#a63d40', '#6b5b95', '#5c5c5c', '#1b998b', '#b5838d', '#8a6d3b', '#3d5a80']

/**
 * Lines of costs against sizes, as an SVG: each as how many times what it is at the least size.
 *
 * @param {{ title: string, sizes: number[], rows: { name: string, values: (number | undefined)[] }[] }} chart
 * @returns {string}
 */
function drawCurves ({ title, sizes, rows }) {
  const lines = rows.map(({ name, values }) => ({ name, ratios: values.map(value => value / values[0]) }))
    .filter(({ ratios }) => ratios.every(ratio => Number.isFinite(ratio) && ratio > 0))
  const all = lines.flatMap(({ ratios }) => ratios)
  const [least, most] = [Math.floor(Math.log2(Math.min(...all, 0.5))), Math.ceil(Math.log2(Math.max(...all, 4)))]
  const [first, last] = [Math.log10(sizes[0]), Math.log10(sizes.at(-1))]
  const x = size => LEFT + (RIGHT - LEFT) * (last === first ? 0 : (Math.log10(size) - first) / (last - first))
  const y = ratio => TOP + HEIGHT * (most - Math.log2(ratio)) / (most - least)
  const height = Math.max(TOP + HEIGHT, TOP + lines.length * LABEL) + 40
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="12" role="img" aria-label="${escape(title)}">`,
    `<rect width="${WIDTH}" height="${height}" fill="#ffffff"/>`,
    text(16, 24, title, 'font-size="16" font-weight="bold"'),
    text(16, 44, `How many times the cost at ${sizes[0].toLocaleString('en-US')} (logarithmic)`, 'fill="#555555"'),
    ...grid({ sizes, least, most, x, y }),
    ...lines.map(({ ratios }, i) => `<polyline fill="none" stroke="${colourOf(i)}" stroke-width="2" points="${ratios.map((ratio, at) => `${number(x(sizes[at]))},${number(y(ratio))}`).join(' ')}"/>`),
    ...labels(lines, y),
    '</svg>\n'
  ].join('\n')
}

function grid ({ sizes, least, most, x, y }) {
  const rows = Array.from({ length: most - least + 1 }, (_, i) => 2 ** (least + i))
  return [
    ...rows.map(ratio => `<line x1="${LEFT}" y1="${number(y(ratio))}" x2="${RIGHT}" y2="${number(y(ratio))}" stroke="${ratio === 1 ? '#999999' : '#dddddd'}"/>\n${text(LEFT - 8, number(y(ratio) + 4), `${ratio} ×`, 'text-anchor="end" fill="#555555"')}`),
    ...sizes.map(size => `<line x1="${number(x(size))}" y1="${TOP}" x2="${number(x(size))}" y2="${TOP + HEIGHT}" stroke="#dddddd"/>\n${text(number(x(size)), TOP + HEIGHT + 18, size.toLocaleString('en-US'), 'text-anchor="middle" fill="#555555"')}`)
  ]
}

/** Names beside the ends of their lines, none upon another. */
function labels (lines, y) {
  const sorted = lines.map(({ name, ratios }, i) => ({ name, ratio: ratios.at(-1), colour: colourOf(i) })).sort((a, b) => b.ratio - a.ratio)
  const room = TOP + HEIGHT - (sorted.length - 1) * LABEL
  let next = TOP
  return sorted.map(({ name, ratio, colour }, i) => {
    next = Math.max(next, Math.min(y(ratio), room + i * LABEL))
    const label = text(RIGHT + 24, number(next + 4), `${name}: ${ratio < 10 ? ratio.toPrecision(2) : Math.round(ratio)} ×`, `fill="${colour}"`)
    const line = `<line x1="${RIGHT}" y1="${number(y(ratio))}" x2="${RIGHT + 20}" y2="${number(next)}" stroke="${colour}"/>`
    next += LABEL
    return `${line}\n${label}`
  })
}

function colourOf (i) { return COLOURS[i % COLOURS.length] }

module.exports = { drawCurves }
