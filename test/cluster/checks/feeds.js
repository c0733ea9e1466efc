'use strict'

const { groupBy } = require('./group-by')
const { placeOf, vectorOf } = require('./place')

/** Rows of each feed, in its order. @returns {Map<string, import('../clients/history').Row[]>} */
const byFeed = rows => groupBy(rows, ({ feed }) => feed)

/** Sequences of a feed only grow, also from one server to the next, and each change takes its shard on. @returns {string[]} faults */
function checkOrder ({ rows }) {
  return [...byFeed(rows)].flatMap(([feed, its]) => its.slice(1).flatMap(({ seq, id }, i) => {
    const before = its[i]
    const old = vectorOf(before.seq)
    const { shard, number } = placeOf(seq, id)
    if (number > old[shard] && vectorOf(seq).every((each, index) => each >= old[index])) return []
    return [`${feed}: ${id} has ${seq} after ${before.id} with ${before.seq}`]
  }))
}

/** A number of a shard belongs to one change, whoever hears of it. @returns {string[]} faults */
function checkSequences ({ rows }) {
  const changes = new Map()
  const faults = new Set()
  for (const { database, seq, id, revs } of rows) {
    const { shard, number } = placeOf(seq, id)
    const name = `${database}, shard ${shard}, ${number}`
    const change = `${id} ${[...revs].sort()}`
    if (changes.has(name) && changes.get(name) !== change) faults.add(`${name} was given to ${changes.get(name)} and to ${change}`)
    changes.set(name, change)
  }
  return [...faults]
}

/**
 * Each feed has had the last change of each document, with the same revisions and sequence as the database has it, and no document
 * that the database does not have.
 *
 * @param {import('../clients/history').History} history
 * @param {{ name: string, database: string }[]} feeds
 * @param {Map<string, any[]>} changes database → rows of its `_changes` at the end
 * @returns {string[]} faults
 */
function checkWhole ({ rows }, feeds, changes) {
  const heard = byFeed(rows)
  return feeds.flatMap(({ name, database }) => {
    const last = new Map((heard.get(name) ?? []).map(row => [row.id, row]))
    const missed = changes.get(database).filter(({ id, seq, changes }) => {
      const row = last.get(id)
      last.delete(id)
      return row === undefined || placeOf(row.seq, id).number !== placeOf(seq, id).number || String([...row.revs].sort()) !== String(changes.map(({ rev }) => rev).sort())
    })
    return [
      ...missed.map(({ id, seq }) => `${name} did not hear the last change of ${id}, ${seq}`),
      ...[...last.keys()].map(id => `${name} heard of ${id}, which is not there`)
    ]
  })
}

/** No server tells a sequence that is lower than one that was told before it was asked. @returns {string[]} faults */
function checkReadings ({ readings }) {
  return [...groupBy(readings, ({ database }) => database)].flatMap(([database, its]) => {
    const ended = its.toSorted((a, b) => a.end - b.end)
    let highest = -1
    let next = 0
    return its.toSorted((a, b) => a.start - b.start).flatMap(({ start, sequence }) => {
      for (; next < ended.length && ended[next].end < start; next++) highest = Math.max(highest, ended[next].sequence)
      return sequence < highest ? [`${database} was at ${sequence} after it was at ${highest}`] : []
    })
  })
}

/** Writes that followed one another, on documents of their own, have sequences in that order, those of each shard. @returns {string[]} faults */
function checkRealTime ({ operations }, changes) {
  return [...changes].flatMap(([database, rows]) => {
    const places = new Map(rows.map(({ id, seq }) => [id, placeOf(seq, id)]))
    const inserts = operations.filter(operation => operation.database === database && operation.document.startsWith('insert-') && operation.outcome === 'ok')
      .map(({ document, start, end }) => ({ document, start, end, ...places.get(document) ?? { shard: 0, number: NaN } }))
    return [...groupBy(inserts, ({ shard }) => String(shard)).values()].flatMap(its => outOfOrder(its).map(fault => `${database}/${fault}`))
  })
}

/** @param {{ document: string, start: number, end: number, number: number }[]} inserts of one shard @returns {string[]} */
function outOfOrder (inserts) {
  const ended = inserts.toSorted((a, b) => a.end - b.end)
  let highest = { number: -1, document: '' }
  let next = 0
  return inserts.toSorted((a, b) => a.start - b.start).flatMap(({ document, start, number }) => {
    for (; next < ended.length && ended[next].end < start; next++) if (ended[next].number > highest.number) highest = ended[next]
    return number < highest.number ? [`${document} has ${number}, and ${highest.document} that was there before it ${highest.number}`] : []
  })
}

module.exports = { checkOrder, checkReadings, checkRealTime, checkSequences, checkWhole }
