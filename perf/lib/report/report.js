'use strict'

const { geometricMean } = require('./statistics')
const { describeGoals } = require('./goals')
const { formatMicroseconds, formatRatio, formatTable } = require('./tables')

const MEDIA = {
  tmpfs: 'on tmpfs, in the place of persistent memory: acknowledged writes survive the end of the process',
  disk: 'on an ordinary disk: acknowledged writes survive a power cut'
}
const CLOCKS = { cpu: 'CPU time', wall: 'Wall-clock time' }

/**
 * One table for each group and medium: a row a trial, a column a driver. With a yardstick, a cell
 * says how many times as fast as that driver it is, and rows below sum the ratios up. Otherwise
 * the first of our own drivers is the measure: a peer's cell says how many times as much it takes.
 *
 * @param {{ machine: object, rounds: number, results: import('../run/rounds').Result[] }} figures
 * @param {{ markdown: boolean, clock: 'cpu' | 'wall', yardstick?: RegExp }} options `yardstick`:
 *   by its name, in the place of the group's own
 * @returns {string}
 */
function render ({ machine, rounds, results }, options) {
  const tables = partition(results, (result) => `${result.group} ${result.medium}`)
    .map((part) => renderPart(part, options))
  const { cpu, cores, node, platform, time, load } = machine
  const where = `${cpu}, ${cores} cores, Node.js ${node}, ${platform}, ${time.slice(0, 10)}; median of ${rounds} rounds, load ${load.toFixed(1)} at the start`
  return [...tables, where].join('\n\n')
}

function renderPart (results, { markdown, clock, yardstick }) {
  const drivers = partition(results, (result) => result.driver).map(([first]) => first)
  const { group, medium } = drivers[0]
  const comparison = compare(drivers, clock, yardstick)
  const trials = partition(results, (result) => result.trial)
  const rows = trials.map((row) => renderRow(row, drivers, comparison))
  const title = `${group} ${MEDIA[medium]}. ${CLOCKS[clock]} a unit; ${comparison.legend}`
  const titles = ['', ...drivers.map((driver) => driver.driver)]
  const summary = summarise(trials, drivers, comparison)
  const table = formatTable([titles, ...rows, ...summary.rows], { markdown })
  const durability = `A durable write: ${drivers.map((driver) => `${driver.driver}, ${driver.durability}`).join('; ')}.`
  return [title, table, ...summary.lines, durability, ...describeGoals(trials, comparison.valueOf, { markdown }), ...failures(results)].join('\n\n')
}

/** Chooses what the figures of a row are compared with, and the words for it. */
function compare (drivers, clock, pattern) {
  const valueOf = (result) => result?.figure ?? result?.[clock] ?? undefined
  const yardstick = drivers.find((driver) => pattern === undefined ? driver.yardstick : pattern.test(driver.driver))
  const chosen = (row) => row.find((result) => yardstick === undefined ? result.ours : result.driver === yardstick.driver)
  return {
    valueOf,
    measureOf: (row) => valueOf(chosen(row)),
    yardstick,
    legend: yardstick === undefined ? '× how many times ours' : `how many × as fast as ${yardstick.driver}`
  }
}

function renderRow (row, drivers, { valueOf, measureOf, yardstick }) {
  const measure = measureOf(row)
  const cells = drivers.map(({ driver }) => {
    const result = row.find((candidate) => candidate.driver === driver)
    const value = valueOf(result)
    if (value === undefined) return result?.error ? 'failed' : '–'
    const figure = result.figure === undefined ? formatMicroseconds(value) : value.toFixed(2)
    if (!(measure > 0) || value === measure) return figure
    return yardstick === undefined ? `${figure} (× ${formatRatio(value / measure)})` : `${figure} (${formatRatio(measure / value)} ×)`
  })
  return [`${row[0].trial}, a ${row[0].unit}`, ...cells]
}

/** Each driver's geometric mean over the trials that count, as a row; below the table, our worst ones. */
function summarise (trials, drivers, { valueOf, measureOf, yardstick }) {
  const counting = yardstick === undefined ? [] : trials.filter(([first]) => first.counts)
  if (counting.length === 0) return { rows: [], lines: [] }
  const sums = drivers.map(({ driver, ours }) => {
    const ratios = counting.map((row) => ({
      trial: row[0].trial,
      ratio: measureOf(row) / valueOf(row.find((result) => result.driver === driver))
    }))
    return { driver, ours, ratios: ratios.sort((a, b) => a.ratio - b.ratio) }
  })
  const compared = sums.filter(({ driver, ratios }) => driver !== yardstick.driver && ratios.every(({ ratio }) => ratio > 0))
  const means = sums.map((sum) => compared.includes(sum) ? `${formatRatio(geometricMean(sum.ratios.map(({ ratio }) => ratio)))} ×` : '–')
  return { rows: [[`geometric mean of ${counting.length} cases`, ...means]], lines: compared.filter(({ ours }) => ours).map(worst) }
}

function worst ({ driver, ratios }) {
  return `The least of ${driver}: ${ratios.slice(0, 3).map(({ trial, ratio }) => `${trial}, ${formatRatio(ratio)} ×`).join('; ')}.`
}

function failures (results) {
  return results.filter((result) => result.error)
    .map((result) => `${result.trial} × ${result.driver} failed: ${result.error.split('\n', 1)[0]}`)
}

/** @returns {any[][]} the items by key, in the order of first appearance */
function partition (items, keyOf) {
  const parts = new Map()
  for (const item of items) {
    const key = keyOf(item)
    if (!parts.has(key)) parts.set(key, [])
    parts.get(key).push(item)
  }
  return [...parts.values()]
}

module.exports = { render }
