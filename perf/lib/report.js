'use strict'

const { formatTable } = require('./table')

const MEDIA = {
  tmpfs: 'on tmpfs, in the place of persistent memory: acknowledged writes survive the end of the process',
  disk: 'on an ordinary disk: acknowledged writes survive a power cut'
}
const CLOCKS = { cpu: 'CPU time', wall: 'Wall-clock time' }

/**
 * One table for each group and medium: a row a trial, a column a driver. The first of our own
 * drivers is the measure: a peer's cell says how many times as much it takes.
 *
 * @param {{ machine: object, rounds: number, results: import('./rounds').Result[] }} figures
 * @param {{ markdown: boolean, clock: 'cpu' | 'wall' }} options
 * @returns {string}
 */
function render ({ machine, rounds, results }, { markdown, clock }) {
  const tables = partition(results, (result) => `${result.group} ${result.medium}`)
    .map((part) => renderPart(part, { markdown, clock }))
  const { cpu, cores, node, platform, time, load } = machine
  const where = `${cpu}, ${cores} cores, Node.js ${node}, ${platform}, ${time.slice(0, 10)}; median of ${rounds} rounds, load ${load.toFixed(1)} at the start`
  return [...tables, where].join('\n\n')
}

function renderPart (results, { markdown, clock }) {
  const drivers = partition(results, (result) => result.driver).map(([first]) => first)
  const rows = partition(results, (result) => result.trial).map((row) => renderRow(row, drivers, clock))
  const { group, medium } = drivers[0]
  const title = `${group} ${MEDIA[medium]}. ${CLOCKS[clock]} a unit; × how many times ours`
  const table = formatTable([['', ...drivers.map((driver) => driver.driver)], ...rows], { markdown })
  const durability = `A durable write: ${drivers.map((driver) => `${driver.driver}, ${driver.durability}`).join('; ')}.`
  return [title, table, durability, ...failures(results)].join('\n\n')
}

function renderRow (row, drivers, clock) {
  const valueOf = (result) => result.figure ?? result[clock]
  const own = row.find((result) => result.ours)
  const measure = own && (valueOf(own) ?? undefined)
  const cells = drivers.map(({ driver }) => {
    const result = row.find((candidate) => candidate.driver === driver)
    if (!result || valueOf(result) === null) return result?.error ? 'failed' : '–'
    const value = valueOf(result)
    const figure = result.figure === undefined ? formatMicroseconds(value) : value.toFixed(2)
    return !(measure > 0) || value === measure ? figure : `${figure} (× ${formatRatio(value / measure)})`
  })
  return [`${row[0].trial}, a ${row[0].unit}`, ...cells]
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

/** @param {number} time in µs */
function formatMicroseconds (time) {
  return time < 1000 ? `${significant(time)} µs` : `${significant(time / 1000)} ms`
}

function formatRatio (ratio) {
  return ratio < 10 ? ratio.toPrecision(2) : String(Math.round(ratio))
}

function significant (number) {
  return number < 1 ? number.toFixed(2) : number < 10 ? number.toFixed(1) : String(Math.round(number))
}

module.exports = { render }
