'use strict'

const { formatTable } = require('../report/tables')

/**
 * A row for each shape and number of connections: CPU time of a unit, and how many times ours the
 * others take; latency at half and at 99 in 100 requests.
 *
 * @param {import('./compare').Figure[]} figures
 * @param {{ markdown: boolean, short: boolean }} options short: CPU time alone, at 10 connections or the only number there is
 */
function render (figures, { markdown, short }) {
  const servers = [...new Set(figures.map(({ server }) => server))]
  const rows = groups(figures, short).map(group => {
    const [first] = group
    const ours = group.find(({ server }) => server === servers[0])?.cpu
    const title = `${first.shape}${first.unit === 'request' ? '' : `, a ${first.unit}`}`
    return [title, ...(short ? [] : [String(first.connections)]), ...servers.map(server => cell(group.find(each => each.server === server), ours, short))]
  })
  return formatTable([['CPU time', ...(short ? [] : ['connections']), ...servers], ...rows], { markdown })
}

function groups (figures, short) {
  const keys = new Map()
  for (const figure of figures) {
    const key = `${figure.shape} ${figure.connections}`
    keys.set(key, [...keys.get(key) ?? [], figure])
  }
  const all = [...keys.values()]
  if (!short) return all
  return all.filter(([{ shape, connections }]) => connections === 10 || !all.some(([each]) => each.shape === shape && each.connections === 10))
}

function cell (figure, ours, short) {
  if (figure === undefined || figure.cpu === null) return '–'
  const { cpu, p50, p99 } = figure
  const ratio = ours === undefined || ours === null || cpu === ours ? '' : ` (×${round(cpu / ours)})`
  return `${time(cpu)}${ratio}${short ? '' : `, ${round(p50)}/${round(p99)} ms`}`
}

function time (microseconds) {
  return microseconds < 1000 ? `${round(microseconds)} µs` : `${round(microseconds / 1000)} ms`
}

/** Two digits that count. */
function round (number) { return number >= 10 ? String(Math.round(number)) : String(Number(number.toPrecision(2))) }

module.exports = { render }
