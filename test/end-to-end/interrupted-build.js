'use strict'

const assert = require('node:assert')
const { admin } = require('./data-folder')
const { HttpClient } = require('./http-client')

/** Times that the server is killed while it builds. */
const KILLS = 2

/** Indexes that are begun: a machine that holds this process up lets a build end before the server is killed. */
const TRIES = 5

/**
 * Builds an index of `/data`, and kills the server again and again meanwhile.
 *
 * @param {import('../support/server-process').ServerProcess} server
 * @param {() => Promise<import('../support/server-process').ServerProcess>} start of the next one
 * @param {object} index
 * @param {(name: string) => object} index.designOf members of its design document, `_design/d`; each name has an index of its own
 * @param {string} index.question a path that builds it
 * @param {(client: HttpClient) => Promise<number>} index.indexed up to which sequence it is built
 * @param {(client: HttpClient, reached: number) => Promise<void>} [index.verify] what there is after a kill
 * @returns {Promise<import('../support/server-process').ServerProcess>} the last one
 */
async function killWhileBuilt (server, start, { designOf, question, indexed, verify = async () => {} }) {
  for (let n = 0; n < TRIES; n++) {
    let client = new HttpClient(await server.started, admin)
    const { body } = await client.request('GET', '/data/_design/d')
    await client.ask('PUT', '/data/_design/d', { ...designOf(`d${n}`), _rev: body._rev })
    /** @type {number | null} */
    let reached = 0
    for (let kill = 0; kill < KILLS && reached !== null; kill++) {
      reached = await buildAndKill(client, server, question, indexed, reached)
      server = await start()
      client = new HttpClient(await server.started, admin)
      if (reached === null) continue
      assert.ok(await indexed(client) >= reached, 'what was indexed is there')
      await verify(client, reached)
    }
    if (reached !== null) return server
  }
  return assert.fail('each build was over before the server was killed')
}

/** Kills the server when more than `since` is indexed. @returns {Promise<number | null>} how much; null where all was */
async function buildAndKill (client, server, question, indexed, since) {
  const { update_seq: last } = await client.ask('GET', '/data')
  const isAnswered = client.ask('GET', question).then(() => true, () => false)
  let reached = since
  while (reached <= since) reached = await indexed(client)
  await server.end('SIGKILL')
  return await isAnswered || reached >= parseInt(last, 10) ? null : reached
}

module.exports = { killWhileBuilt }
