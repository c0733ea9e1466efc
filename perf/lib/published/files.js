'use strict'

const { chartOf, draw } = require('./chart')
const { renderCluster } = require('./cluster')
const { growthFiles, readGrowth, renderGrowth } = require('./growth')
const { cellOf, renderPage, renderSummary } = require('./page')
const { readResults, readSummary } = require('./results')

const BEGIN = '<!-- figures: made by node perf/bin/report.js -->\n'
const END = '\n<!-- end of the figures -->'

/**
 * The files that are made of the kept figures.
 *
 * @param {(name: string) => string} read reads those that hold more, by their paths from the root
 * @returns {Record<string, string>} their contents by their paths from the root
 */
function makeFiles (read) {
  const results = readResults()
  const summary = readSummary()
  const growth = readGrowth()
  const charts = results.map(result => [`docs/charts/${result.id}.svg`, chartOf(result)]).filter(([, svg]) => svg !== null)
  return {
    'README.md': withFigures('README.md', read, renderSummary(results, summary)),
    'docs/scale-out.md': withFigures('docs/scale-out.md', read, renderCluster()),
    'docs/benchmarks.md': renderPage(results, [renderGrowth(growth)]),
    'docs/charts/summary.svg': summaryChart(results, summary),
    ...growthFiles(growth),
    ...Object.fromEntries(charts)
  }
}

function withFigures (name, read, figures) {
  const text = read(name)
  const [start, end] = [text.indexOf(BEGIN), text.indexOf(END)]
  if (start === -1 || end < start) throw new Error(`${name} has no place for the figures`)
  return `${text.slice(0, start)}${BEGIN}\n${figures}\n${text.slice(end)}`
}

function summaryChart (results, summary) {
  const groups = summary.map(({ what, result, row, ours, peer }) => {
    const [mine, other] = [ours, peer].map(column => cellOf(results, result, row, column))
    return { name: what, bars: [mine.ratio ?? other.ratio ?? NaN] }
  })
  return draw({ title: 'How many times as fast Potoroo is', subtitle: 'The peers are in the table; logarithmic', groups, series: ['ratio'] })
}

module.exports = { makeFiles }
