'use strict'

const { openFeeds, tellAll } = require('../subjects/open-feeds')
const { DATABASE } = require('../http/database')
const { GrownServer } = require('./grown-server')

const TARGET = `${DATABASE}/_changes?feed=continuous&since=now&heartbeat=60000`
const TURNS = 5

/**
 * Takes down the costs of a number of open feeds of one database, each on a connection of its own.
 *
 * @param {number} size
 * @param {import('./figures').Figures} figures
 * @param {{ folder: string, seconds: number }} options
 */
async function measureFeeds (size, figures, { folder, seconds }) {
  const server = await GrownServer.start(folder, seconds)
  const origin = new URL(server.url)
  const follower = { origin, authorization: `Basic ${Buffer.from(`${origin.username}:${origin.password}`).toString('base64')}` }
  await server.client.request('PUT', DATABASE, { status: 201 })
  await server.client.request('PUT', '/_node/_local/_config/chttpd/release_feeds', { json: 'true' })
  // V8 keeps memory for itself once it has been busy: that is no feed's.
  for (const socket of await openFeeds(follower, TARGET, Math.min(size, 2000))) socket.destroy()
  const before = await server.memory()
  const sockets = await openFeeds(follower, TARGET, size)
  figures.add('memory of a feed', 'KiB', (await server.memory() - before) * 1024 / size)
  const costs = []
  for (let turn = 0; turn < TURNS; turn++) costs.push(await server.once(() => tellAll(sockets, () => server.client.request('PUT', `${DATABASE}/told-${turn}`, { json: {}, status: 201 }))))
  figures.add('a change, for each feed', 'µs', costs.sort((a, b) => a - b)[TURNS >> 1] * 1000 / size)
  for (const socket of sockets) socket.destroy()
  await server.close()
}

module.exports = { measureFeeds }
