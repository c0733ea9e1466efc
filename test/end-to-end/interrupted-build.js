'use strict'

const assert = require('node:assert')
const { admin } = require('./data-folder')
const { HttpClient } = require('./http-client')

/** Asks an index of `/data`, and kills the server when more than `since` is indexed, and not yet all. */
async function buildAndKill (server, question, indexed, since) {
  const client = new HttpClient(await server.started, admin)
  const { update_seq: last } = await client.ask('GET', '/data')
  const query = client.ask('GET', question)
  query.catch(() => {})
  let reached = since
  while (reached <= since) reached = await indexed(client)
  await server.end('SIGKILL')
  await assert.rejects(query, 'the query went with the server')
  assert.ok(reached < parseInt(last, 10), 'it was killed before the end')
  return reached
}

module.exports = { buildAndKill }
