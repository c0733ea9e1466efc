'use strict'

const http = require('node:http')
const path = require('node:path')
const { once } = require('node:events')
const { pouchDBWith } = require('../pouchdb/database')

const NAME = 'perf'
const PASSWORD = 'a-long-enough-password'
const ADMINS = { [NAME]: PASSWORD }

/** A URL with their credentials. */
function authorised (url) { return url.replace('//', `//${NAME}:${PASSWORD}@`) }

/**
 * Starts our server, with an administrator whom each request must name.
 *
 * @param {object} options of `serve`
 */
async function servePotoroo (options) {
  const { url, close } = await require('potoroo').serve({
    ...options,
    admins: ADMINS,
    allowVolatile: true,
    workers: Number(process.env.TEST_WORKERS ?? 1),
    log: () => {}
  })
  return { url: authorised(url), close }
}

/** Mounts our middleware in an application's own express, whose server is node's. */
async function serveInExpress ({ folder, port }) {
  const databases = require('potoroo')({ path: folder, storage: 'pmem', allowVolatile: true, admins: ADMINS, log: () => {} })
  await databases.ready
  // Express 5 is the server's; perf's own is express-pouchdb's 4.
  const express = require(require.resolve('express', { paths: [require.resolve('potoroo')] }))
  const { url, close } = await listen(express().use('/', databases), port)
  return { url: authorised(url), close: () => close().then(() => databases.close()) }
}

async function listen (app, port) {
  const server = http.createServer(app).listen(port, '127.0.0.1')
  await once(server, 'listening')
  const close = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  return { url: `http://127.0.0.1:${server.address().port}`, close }
}

/**
 * Starts express-pouchdb as published, without credentials (which cost it time), its log in a file.
 *
 * @param {Function} plugin of PouchDB's adapter
 * @param {string} adapter its name
 * @param {{ folder: string, port: number }} options
 */
async function serveExpressPouchDB (plugin, adapter, { folder, port }) {
  const PouchDB = pouchDBWith(plugin).defaults({ adapter, prefix: folder + path.sep })
  const app = require('express')()
  app.use('/', require('express-pouchdb')(PouchDB, { inMemoryConfig: true, logPath: path.join(folder, 'log.txt') }))
  return listen(app, port)
}

/** The least that passes for the answer to the requests of trials: a document, rows of a view, documents found. */
const ANSWER = JSON.stringify({ _id: '1', _rev: '1-0', docs: [{}], rows: [{ value: 1, doc: {} }] })
const OTHER_ANSWERS = new Map([['_bulk_docs', '[]'], ['text', 'Hello, World!']])

/** Starts a server that reads bodies, stores nothing and answers a little JSON: HTTP in Node.js on this machine, and nothing else. */
function serveBare ({ port }) {
  return listen((request, response) => {
    const name = request.url.slice(request.url.lastIndexOf('/') + 1)
    const body = OTHER_ANSWERS.get(name) ?? ANSWER
    const status = request.method === 'PUT' || name === '_bulk_docs' ? 201 : 200
    const answer = () => response.writeHead(status, { 'content-type': 'application/json', 'content-length': body.length }).end(body)
    if (request.headers['content-length'] === undefined) answer()
    else request.on('end', answer).resume()
  }, port)
}

module.exports = { serveBare, serveExpressPouchDB, serveInExpress, servePotoroo }
