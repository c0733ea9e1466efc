'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { median } = require('../report/statistics')
const { timeRounds } = require('./rounds')

/**
 * Others that find by text, in this process.
 *
 * @typedef {object} Peer
 * @property {(articles: Array<{ _id: string, text: string }>) => void} add
 * @property {() => void} finish when all are added
 * @property {() => number} bytes of the index, without the texts
 * @property {(kind: string, words: string[]) => unknown} find the first ten; throws what it cannot
 * @property {() => void} close
 */

/** SQLite's FTS5, which keeps no texts: `content=''`. @returns {Peer} */
function sqlite (/** @type {string} */ folder) {
  const Database = require('better-sqlite3')
  const file = path.join(folder, 'fts5')
  const database = new Database(file)
  database.pragma('journal_mode = WAL')
  database.pragma('synchronous = OFF')
  database.exec("CREATE VIRTUAL TABLE articles USING fts5(text, content='')")
  const insert = database.prepare('INSERT INTO articles (rowid, text) VALUES (?, ?)')
  const find = database.prepare('SELECT rowid FROM articles WHERE articles MATCH ? ORDER BY rank LIMIT 10')
  const addAll = database.transaction((/** @type {Array<{ text: string }>} */ articles, /** @type {number} */ start) => {
    articles.forEach(({ text }, i) => insert.run(start + i, text))
  })
  let count = 1
  return {
    add (articles) {
      addAll(articles, count)
      count += articles.length
    },
    finish () { database.pragma('wal_checkpoint(TRUNCATE)') },
    bytes: () => fs.statSync(file).size,
    find: (kind, words) => find.all(kind === 'phrase' ? `"${words.join(' ')}"` : words.join(' AND ')),
    close () { database.close() }
  }
}

/** minisearch, in memory; its size is that of its JSON. @returns {Peer} */
function minisearch () {
  const MiniSearch = require('minisearch')
  const index = new MiniSearch({ idField: '_id', fields: ['text'] })
  return {
    add (articles) { index.addAll(articles) },
    finish () {},
    bytes: () => JSON.stringify(index).length,
    find (kind, words) {
      if (kind === 'phrase') throw new Error('minisearch has no phrases')
      return index.search(words.join(' '), { combineWith: 'AND' }).slice(0, 10)
    },
    close () {}
  }
}

/** @type {Record<string, (folder: string) => Peer>} */
const peers = { 'SQLite FTS5': sqlite, minisearch }

/** @returns {number} microseconds */
function cpuOfProcess () {
  const { user, system } = process.cpuUsage()
  return user + system
}

/**
 * Milliseconds of a query, the median; undefined: it cannot.
 *
 * @param {Peer} peer
 * @param {string} kind
 * @param {string[][]} queries
 * @param {number} seconds of CPU time
 */
async function ask (peer, kind, queries, seconds) {
  try {
    peer.find(kind, queries[0])
  } catch {
    return undefined
  }
  const round = queries.map(words => () => { peer.find(kind, words) })
  return median((await timeRounds(round, { seconds, cpu: cpuOfProcess })).times)
}

module.exports = { ask, peers }
