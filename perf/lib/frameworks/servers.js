'use strict'

const { once } = require('node:events')
const http = require('node:http')
const { anyNumber, countOf, pageOf } = require('./world')

/**
 * The six shapes on a store, in each framework as its documentation does it.
 *
 * @typedef {InstanceType<typeof import('./stores').PostgresStore> | InstanceType<typeof import('./stores').DocumentObjectsStore>} Store
 */

const HTML = 'text/html; charset=utf-8'

/** Reads rows one by one. @param {Store} store @param {number} count */
async function findMany (store, count) {
  const worlds = []
  for (let i = 0; i < count; i++) worlds.push(await store.find(anyNumber()))
  return worlds
}

/** @param {Store} store @param {number} count */
async function updateMany (store, count) {
  const ids = new Set()
  while (ids.size < count) ids.add(anyNumber())
  const worlds = []
  for (const id of ids) worlds.push({ ...await store.find(id), randomNumber: anyNumber() })
  await store.update(worlds)
  return worlds
}

/** @param {Store} store */
function bare (store) {
  const json = (res, value) => {
    const text = JSON.stringify(value)
    res.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) }).end(text)
  }
  const routes = {
    '/plaintext': (req, res) => res.writeHead(200, { 'Content-Type': 'text/plain', 'Content-Length': 13 }).end('Hello, World!'),
    '/json': (req, res) => json(res, { message: 'Hello, World!' }),
    '/db': async (req, res) => json(res, await store.find(anyNumber())),
    '/queries': async (req, res, count) => json(res, await findMany(store, count)),
    '/updates': async (req, res, count) => json(res, await updateMany(store, count)),
    '/fortunes': async (req, res) => {
      const page = pageOf(await store.fortunes())
      res.writeHead(200, { 'Content-Type': HTML, 'Content-Length': Buffer.byteLength(page) }).end(page)
    }
  }
  return http.createServer((req, res) => {
    const [path, search] = req.url.split('?')
    Promise.resolve(routes[path](req, res, countOf(search?.slice('queries='.length)))).catch(() => res.writeHead(500).end())
  })
}

/** @param {Store} store */
function inExpress (store) {
  const app = require('express')()
  app.disable('x-powered-by').disable('etag')
  const routes = {
    '/plaintext': (req, res) => res.type('text').send('Hello, World!'),
    '/json': (req, res) => res.json({ message: 'Hello, World!' }),
    '/db': async (req, res) => res.json(await store.find(anyNumber())),
    '/queries': async (req, res) => res.json(await findMany(store, countOf(req.query.queries))),
    '/updates': async (req, res) => res.json(await updateMany(store, countOf(req.query.queries))),
    '/fortunes': async (req, res) => res.type('html').send(pageOf(await store.fortunes()))
  }
  for (const [path, handler] of Object.entries(routes)) app.get(path, (req, res, next) => { Promise.resolve(handler(req, res)).catch(next) })
  return http.createServer(app)
}

/** @param {Store} store */
async function inFastify (store) {
  const app = require('fastify')()
  app.get('/plaintext', async (req, reply) => reply.type('text/plain').send('Hello, World!'))
  app.get('/json', async () => ({ message: 'Hello, World!' }))
  app.get('/db', async () => store.find(anyNumber()))
  app.get('/queries', async req => findMany(store, countOf(req.query.queries)))
  app.get('/updates', async req => updateMany(store, countOf(req.query.queries)))
  app.get('/fortunes', async (req, reply) => reply.type(HTML).send(pageOf(await store.fortunes())))
  await app.ready()
  return app.server
}

const FRAMEWORKS = { 'node:http': bare, express: inExpress, fastify: inFastify }

/**
 * @param {keyof typeof FRAMEWORKS} framework
 * @param {Store} store
 * @returns {Promise<string>} its URL
 */
async function listen (framework, store) {
  const server = await FRAMEWORKS[framework](store)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${server.address().port}`
}

module.exports = { listen }
