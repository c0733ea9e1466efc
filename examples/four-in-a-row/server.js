'use strict'

// A game for two browsers. All of its state is objects in a pool: it goes on where it was after a kill or a power cut.
// Start it with `node examples/four-in-a-row/server.js [pool [port]]`.

const { once } = require('node:events')
const path = require('node:path')
const { setTimeout } = require('node:timers/promises')
const express = require('express')
const { openDocuments } = require('@potoroo/document-objects')
const { Pool } = require('pmemobj')
const potoroo = require('potoroo')
const { Game } = require('./game')

/** Browsers ask for moves; what comes of them is the server's to say. */
const RULES = `function (doc, old, user) {
  if (user.roles.indexOf('_admin') === -1 && (doc.kind !== 'move' || doc._id.indexOf('move:') !== 0)) throw { forbidden: 'You may only ask for a move.' }
}`

/**
 * Plays the moves that browsers have asked for. A move and its disc are one transaction: none is lost, and none played twice.
 *
 * @param {import('@potoroo/document-objects').Documents} documents
 */
function play (documents) {
  return documents.transaction(() => {
    const game = documents.get('game')
    for (const [id, { kind, player, column }] of [...documents]) {
      if (kind !== 'move') continue
      if (column === 'new') documents.set('game', new Game())
      else game.drop(player, column)
      documents.delete(id)
    }
  })
}

/**
 * The same until it succeeds: a move waits where the disk is full.
 *
 * @param {import('@potoroo/document-objects').Documents} documents
 */
async function playUntilDone (documents) {
  for (;;) {
    try {
      return await play(documents)
    } catch (error) {
      if (documents.store.closed) return
      console.error(`Moves wait: ${error.message}`)
      await setTimeout(1000, undefined, { ref: false })
    }
  }
}

/** @param {Pool} pool */
async function openGame (pool) {
  const documents = await openDocuments(pool, 'four-in-a-row')
  documents.register(Game, { where: { kind: 'game' } })
  await documents.store.setMeta('security', { admins: {}, members: {} }) // anybody may play
  await documents.transaction(() => {
    documents.set('_design/rules', { validate_doc_update: RULES })
    if (!documents.has('game')) documents.set('game', new Game())
  })
  return documents
}

/**
 * @param {{ port?: number, folder: string, password?: string, log?: (text: string) => void }} options
 * @returns {Promise<string>} its URL
 */
async function start ({ port = 0, folder, password = process.env.APP_PASSWORD ?? 'only to try it out', log }) {
  const documents = await openGame(Pool.open(folder))
  documents.watch(documents, changes => { if (changes.some(({ id, deleted }) => id.startsWith('move:') && !deleted)) playUntilDone(documents) })
  await playUntilDone(documents) // moves that came just before it was killed
  const databases = potoroo({ databases: documents.databases, admins: { app: password }, log })
  await databases.ready
  const app = express()
    .use('/db', databases)
    .use(express.static(path.join(__dirname, 'public')))
    .use('/pouchdb', express.static(path.dirname(require.resolve('pouchdb/dist/pouchdb.min.js'))))
  const server = app.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${/** @type {any} */ (server.address()).port}`
}

module.exports = { start }

if (require.main === module) {
  const [, , folder = './four-in-a-row.pool', port = 8000] = process.argv
  start({ folder, port: Number(port) }).then(url => console.log(`Open ${url}`)).catch(error => {
    console.error(error.message)
    process.exit(1) // what is open would keep it running
  })
}
