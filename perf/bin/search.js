#!/usr/bin/env node
'use strict'

// Measures text search: `node perf/bin/search.js [--articles N] [--queries N] [--vocabulary N] [--storage NAME] [--seconds N] [--alone]`. It
// indexes articles of 2 KB whose words follow Zipf's law, over HTTP with the function in the sandbox, prints the index's size by part, and
// asks by one connection that is kept, for --seconds of CPU time a figure (3) after half as much warm-up; --alone leaves out SQLite's FTS5
// and minisearch, which are asked in this process. The Nouveau of NOUVEAU_URL (http://127.0.0.1:5987), whose process is NOUVEAU_PID, is given the
// same articles as what an index function gives, and asked by turns.

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { formatTable } = require('../lib/report/tables')
const { readOptions } = require('../lib/run/command-line')
const { Articles, makeQueries } = require('../lib/search/articles')
const { ask, peers } = require('../lib/search/peers')
const { Nouveau } = require('../lib/search/nouveau')
const { Potoroo } = require('../lib/search/potoroo')

const { values } = readOptions({
  options: {
    articles: { type: 'string', default: '100000' },
    queries: { type: 'string', default: '300' },
    vocabulary: { type: 'string', default: '50000' },
    storage: { type: 'string', default: 'pmem' },
    seconds: { type: 'string', default: '3' },
    alone: { type: 'boolean', default: false }
  }
})
const count = Number(values.articles)
const vocabulary = Number(values.vocabulary)
const seconds = Number(values.seconds)
const queries = makeQueries(vocabulary, Number(values.queries))
const common = new Articles(vocabulary).common(6)

/** Documents a second of one core, the index beside the text, and milliseconds of a query. */
const GOALS = { speed: 4000, size: 0.6, term: 0.3, and: 1, phrase: 3 }

/** @type {Array<{ name: string, kind: 'term' | 'and' | 'phrase', words: string[][], goal?: number }>} */
const ASKED = [
  { name: 'term', kind: 'term', words: queries.term, goal: GOALS.term },
  { name: 'two terms, AND', kind: 'and', words: queries.and, goal: GOALS.and },
  { name: 'phrase', kind: 'phrase', words: queries.phrase, goal: GOALS.phrase },
  { name: 'the commonest terms', kind: 'term', words: common.map(word => [word]) },
  { name: 'two of the commonest, AND', kind: 'and', words: common.slice(1).map((word, i) => [common[i], word]) },
  { name: 'phrase of the commonest', kind: 'phrase', words: common.slice(1).map((word, i) => [common[i], word]) }
]

/** @param {boolean} isMet */
function verdict (isMet) { return isMet ? 'met' : 'MISSED' }

/** @param {number} milliseconds */
function ms (milliseconds) { return `${milliseconds.toFixed(2)} ms` }

async function measure () {
  const nouveau = await Nouveau.connect(seconds)
  const potoroo = await Potoroo.start(values.storage, seconds)
  try {
    const units = await potoroo.fill(new Articles(vocabulary), count)
    const { clock, cpu } = await potoroo.index()
    const speed = count / cpu
    console.log(`indexing: ${pace(clock, cpu)}: ${verdict(speed >= GOALS.speed)}`)
    await printSizes(potoroo, units)
    if (nouveau !== undefined) await fillNouveau(nouveau, units)
    await printQueries(potoroo, nouveau)
    return units
  } finally {
    await potoroo.stop()
    await nouveau?.close()
  }
}

/** @param {number} clock @param {number} cpu seconds of all documents */
function pace (clock, cpu) { return `${Math.round(count / clock)} documents a second by the clock, ${Math.round(count / cpu)} of one core's time (${(cpu * 1e6 / count).toFixed(0)} µs each)` }

/** @param {Nouveau} nouveau @param {number} units of text */
async function fillNouveau (nouveau, units) {
  const { clock, cpu } = await nouveau.index(new Articles(vocabulary), count)
  console.log(`Nouveau: ${pace(clock, cpu)}, without an index function; size beside the text ${(await nouveau.bytes() / units).toFixed(3)}`)
}

/** @param {Potoroo} potoroo @param {number} units of text */
async function printSizes (potoroo, units) {
  const sizes = Object.entries(await potoroo.sizes())
  const all = sizes.reduce((sum, [, bytes]) => sum + bytes, 0)
  console.log(formatTable([['records', 'bytes a document', 'beside the text'],
    ...[...sizes, ['all', all]].map(([name, bytes]) => [name, (bytes / count).toFixed(1), (bytes / units).toFixed(3)])], { markdown: true }))
  console.log(`size: ${verdict(all / units <= GOALS.size)}`)
}

/** Asks each by turns. @param {Potoroo} potoroo @param {Nouveau} [nouveau] */
async function printQueries (potoroo, nouveau) {
  console.log(`a request that does next to nothing: ${ms(await potoroo.floor())}`)
  const rows = []
  for (const { name, kind, words, goal } of ASKED) {
    const { clock, cpu, found } = await potoroo.ask(kind, words)
    rows.push([name, ms(clock), ms(cpu), String(found), goal === undefined ? '' : `${ms(goal)}: ${verdict(clock <= goal)}`, ...await besides(nouveau, kind, words)])
  }
  console.log(formatTable([['query over HTTP', 'p50', 'CPU of the server, mean', 'documents, p50', 'goal', ...nouveau === undefined ? [] : ['Nouveau, p50', 'its CPU, mean', 'its documents, p50']], ...rows], { markdown: true }))
}

/** @param {Nouveau | undefined} nouveau @param {string} kind @param {string[][]} words @returns {Promise<string[]>} cells */
async function besides (nouveau, kind, words) {
  if (nouveau === undefined) return []
  const { clock, cpu, found } = await nouveau.ask(kind, words)
  return [ms(clock), ms(cpu), String(found)]
}

/** @param {string} name @param {number} units of text @param {string} folder */
async function measurePeer (name, units, folder) {
  const articles = new Articles(vocabulary)
  const peer = peers[name](folder)
  let spent = 0
  for (let at = 0; at < count; at += 1000) {
    const some = articles.make(at, Math.min(1000, count - at))
    spent += timed(() => peer.add(some))
  }
  spent += timed(() => peer.finish())
  const asked = []
  for (const { kind, words } of ASKED) asked.push(await ask(peer, kind, words, seconds))
  const bytes = peer.bytes()
  peer.close()
  return [name, `${Math.round(count / spent)}`, (bytes / units).toFixed(2), ...asked.map(time => time === undefined ? '–' : ms(time))]
}

/** @param {() => void} work @returns {number} seconds of CPU time */
function timed (work) {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1e6
}

async function main () {
  console.log(`${count} articles, ${vocabulary} words`)
  const units = await measure()
  if (values.alone) return
  const folder = fs.mkdtempSync(path.join(fs.existsSync('/dev/shm') ? '/dev/shm' : os.tmpdir(), 'potoroo-search-'))
  try {
    const rows = []
    for (const name of Object.keys(peers)) rows.push(await measurePeer(name, units, folder))
    console.log(formatTable([['in this process', 'documents a second of a core', 'size beside the text', ...ASKED.map(({ name }) => name)], ...rows], { markdown: true }))
  } finally {
    fs.rmSync(folder, { recursive: true, force: true })
  }
}

main()
