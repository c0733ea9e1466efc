'use strict'

const { median } = require('./statistics')
const { formatMicroseconds, formatRatio, formatTable } = require('./tables')

const COUCHDB = 'CouchDB'
const NONE = '–'
const RECORDED = '* CouchDB 3.5.2, measured in November 2026 on a quiet machine with two cores, in tmpfs, beside an earlier version of this server. Ratios are of one run only where COUCHDB_URL and COUCHDB_PID name a CouchDB.'

/**
 * Says which goals of the trials our first driver reaches.
 *
 * @param {import('../run/rounds').Result[][]} trials the results of each
 * @param {(result: import('../run/rounds').Result | undefined) => number | undefined} valueOf µs
 * @param {{ markdown: boolean }} options
 * @returns {string[]} paragraphs; none where no trial has a goal that was measured
 */
function describeGoals (trials, valueOf, options) {
  const inTable = trials.filter(([{ goal }]) => goal?.couchdb !== undefined)
  const others = trials.filter(row => !inTable.includes(row))
  return [...goalTable(inTable, valueOf, options), ...goalLines(others, valueOf)]
}

/** A row for each trial that a CouchDB does, too. A figure of an earlier day is marked. */
function goalTable (trials, valueOf, options) {
  const bare = bareColumns(trials, valueOf)
  const rows = trials.flatMap(row => {
    const ours = row.find(({ ours }) => ours)
    const value = valueOf(ours)
    if (ours?.medium !== 'tmpfs' || value === undefined) return []
    return [[`${ours.trial}, a ${ours.unit}`, formatMicroseconds(value), ...couchCells(row, value, valueOf), formatMicroseconds(ours.goal.most), verdict(value, ours.goal.most), ...bare.cellsOf(row, value)]]
  })
  if (rows.length === 0) return []
  const table = formatTable([['work', 'CPU here', COUCHDB, 'ratio', 'goal, at most', '', ...bare.titles], ...rows], options)
  return ['Goals, beside CouchDB:', table, ...bare.lines, ...(rows.some(([, , couch]) => couch.endsWith('*')) ? [RECORDED] : [])]
}

function couchCells (row, value, valueOf) {
  const measured = valueOf(row.find(({ driver }) => driver === COUCHDB))
  const couch = measured ?? (row[0].goal.couchdb || undefined)
  return couch === undefined ? [NONE, NONE] : [`${formatMicroseconds(couch)}${measured === undefined ? ' *' : ''}`, `× ${formatRatio(couch / value)}`]
}

/** Columns of a server that does no work of its own, which tells how fast the machine is beside the one that goals were set on. */
function bareColumns (trials, valueOf) {
  const bareOf = row => valueOf(row.find(({ bare }) => bare))
  const measured = trials.filter(row => bareOf(row) !== undefined)
  if (measured.length === 0) return { titles: [], cellsOf: () => [], lines: [] }
  const known = measured.filter(([{ goal }]) => goal.reference !== undefined)
  const factor = known.length === 0 ? undefined : median(known.map(row => bareOf(row) / row[0].goal.reference))
  return {
    titles: ['bare node:http', 'goal on this machine', ''],
    cellsOf (row, value) {
      if (!measured.includes(row)) return [NONE, NONE, NONE]
      const most = row[0].goal.most * factor
      return [formatMicroseconds(bareOf(row)), ...(factor === undefined ? [NONE, NONE] : [formatMicroseconds(most), verdict(value, most)])]
    },
    lines: known.length === 0 ? [] : [describeMachine(known, factor)]
  }
}

function describeMachine (known, factor) {
  const [[{ trial, goal: { reference } }]] = known
  return `The first verdict is by the goal as it was set, on another machine: there, a node:http that reads bodies and stores nothing took ${reference} µs for "${trial}". Here, in turns with ours, it took × ${factor.toFixed(2)} of that, the median of ${known.length} such trials. The second verdict is by the goal × that, for work of which a unit is one request.`
}

function verdict (value, most) { return value <= most ? 'met' : 'MISSED' }

/** Says it of trials that have no row in the table. */
function goalLines (trials, valueOf) {
  const lines = trials.flatMap((row) => {
    const ours = row.find((result) => result.ours)
    const value = valueOf(ours)
    if (ours?.goal === undefined || value === undefined) return []
    return [...timeGoal(ours, value), ...peerGoals(ours, value, row, valueOf)]
      .map(({ text, met }) => `${met ? 'met   ' : 'MISSED'} ${ours.trial}: ${text}`)
  })
  return lines.length === 0 ? [] : [['Goals:', ...lines].join('\n')]
}

/** Times are asked for in persistent memory: on a disk, the disk makes them. */
function timeGoal ({ goal: { most }, medium }, value) {
  if (most === undefined || medium !== 'tmpfs') return []
  return [{ text: `${formatMicroseconds(value)}, of ${formatMicroseconds(most)} at most`, met: value <= most }]
}

function peerGoals ({ goal: { times, than } }, value, row, valueOf) {
  if (times === undefined) return []
  return row.filter((peer) => !peer.ours && valueOf(peer) !== undefined && (than === undefined ? peer.durability !== 'none' : peer.driver === than))
    .map((peer) => {
      const ratio = valueOf(peer) / value
      return { text: `${formatRatio(ratio)} times as fast as ${peer.driver}, of ${times}`, met: ratio >= times }
    })
}

module.exports = { describeGoals }
