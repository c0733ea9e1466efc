'use strict'

const assert = require('node:assert')
const { Figures, toCsv } = require('../lib/growth/figures')
const { drawCurves } = require('../lib/published/curves')
const { growthFiles, renderGrowth } = require('../lib/published/growth')

const figure = (over, size, name, value, unit = 'µs') => ({ over, size, name, unit, value })

describe('figures of growth', () => {
  it('are a line of CSV each, and are told of as they come', () => {
    const told = []
    const figures = new Figures('documents', 10, text => told.push(text))
    figures.add('GET', 'µs', 12.3456)
    figures.add('views, "built"', 'ms', 2)
    assert.deepStrictEqual(told, ['documents,10,GET,µs,12.35', 'documents,10,"views, ""built""",ms,2'])
    assert.strictEqual(toCsv(figures.all), `over,size,name,unit,value\n${told.join('\n')}\n`)
  })

  it('make a table and a chart for each thing that grows', () => {
    const figures = [figure('documents', 10, 'GET', 20), figure('documents', 100, 'GET', 1234), figure('documents', 100, 'PUT', 5), figure('feeds', 1, 'memory', 3, 'KiB')]
    const growth = { recorded: '2026-01-02', machine: 'A machine', command: 'a command', figures }
    const page = renderGrowth(growth)
    assert.match(page, /\| {2}\| 10 \| 100 \|/)
    assert.match(page, /\| GET \| 20 µs \| 1,234 µs \|/)
    assert.match(page, /\| PUT \| – \| 5\.0 µs \|/)
    assert.doesNotMatch(page, /Databases/)
    assert.deepStrictEqual(Object.keys(growthFiles(growth)), ['docs/charts/growth.csv', 'docs/charts/growth-documents.svg', 'docs/charts/growth-feeds.svg'])
  })
})

describe('curves', () => {
  it('are lines of ratios to the least size, without those that lack a figure, and names do not lie upon another', () => {
    const svg = drawCurves({ title: 'A <title>', sizes: [10, 100], rows: [{ name: 'one', values: [2, 8] }, { name: 'other', values: [3, 12] }, { name: 'none', values: [1, undefined] }] })
    assert.match(svg, /A &lt;title>/)
    assert.strictEqual(svg.match(/<polyline/g).length, 2)
    assert.doesNotMatch(svg, />none/)
    const heights = [...svg.matchAll(/y="([\d.]+)"[^>]*>(one|other): 4\.0 ×/g)].map(([, y]) => Number(y))
    assert.strictEqual(heights.length, 2)
    assert.ok(Math.abs(heights[0] - heights[1]) >= 15)
  })
})
