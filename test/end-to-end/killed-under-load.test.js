'use strict'

const assert = require('node:assert/strict')
const { freePort } = require('../support/free-port')
const { ServerProcess } = require('../support/server-process')
const { DataFolder, admin } = require('./data-folder')
const { createClients, Lost } = require('./load/clients')
const { Follower } = require('./load/feeds')

const ROUNDS = Number(process.env.KILL_ROUNDS ?? 5)
const STORAGE = process.env.KILL_STORAGE ?? 'pmem'
/** Threads that serve HTTP: on pmem they prepare the writes. */
const WORKERS = process.env.KILL_WORKERS ?? '2'
/** Writes that are acknowledged before the server is killed, about: some hundreds of milliseconds. */
const WRITES = Number(process.env.KILL_WRITES ?? 200)

const authorization = `Basic ${Buffer.from(`${admin.name}:${admin.password}`).toString('base64')}`

/** A server that is killed and started again at the same address, and what its clients ask it. */
class MortalServer {
  #words
  #url = ''
  /** @type {ServerProcess} */
  #process = /** @type {any} */ (null)
  /** @type {Promise<void>} */
  #up = Promise.resolve()
  writes = 0
  onWrite = () => {}

  constructor (words) { this.#words = words }

  async start () {
    const starting = ServerProcess.start(this.#words)
    this.#up = starting.then(() => {})
    this.#process = await starting
    this.#url = await this.#process.started
  }

  async kill () {
    const { signal } = await this.#process.end('SIGKILL')
    assert.equal(signal, 'SIGKILL', this.#process.output)
    return this.start()
  }

  async stop () { return this.#process.end('SIGTERM') }

  /** @type {import('./load/clients').Ask} */
  ask = async (method, path, body, headers) => {
    await this.#up
    const { status, text } = await this.#send(method, path, body, headers)
    if (method !== 'GET') this.onWrite(this.writes++)
    return { status, body: JSON.parse(text) }
  }

  async #send (method, path, body, headers) {
    try {
      const response = await fetch(this.#url + path, {
        method,
        headers: { authorization, accept: 'application/json', 'content-type': 'application/json', ...headers },
        body: typeof body === 'object' ? JSON.stringify(body) : body
      })
      return { status: response.status, text: await response.text() }
    } catch (error) {
      throw new Lost(`${method} ${path}`, { cause: error })
    }
  }

  open = async (path, headers, signal) => {
    await this.#up
    return fetch(this.#url + path, { headers: { authorization, ...headers }, signal })
  }
}

describe(`a server on ${STORAGE} that is killed under a load of mixed clients`, () => {
  /** @type {DataFolder} */
  let folder
  /** @type {MortalServer} */
  let server
  /** @type {Follower[]} */
  let followers = []

  before(async () => {
    folder = new DataFolder(STORAGE, { iterations: 10 })
    server = new MortalServer(['--port', String(await freePort()), '--data', folder.path, '--storage', STORAGE, '--workers', WORKERS, '--size', '1G', '--allow-volatile', '--admin', `${admin.name}:${admin.password}`])
    await server.start()
    await server.ask('PUT', '/load')
  })
  after(async () => {
    for (const follower of followers) follower.stop()
    await server.stop()
    await folder.remove()
  })

  it(`has every acknowledged write after ${ROUNDS} kills, and its feeds go on without a gap or a repetition`, async function () {
    this.timeout(600_000 + ROUNDS * 20_000)
    followers = ['continuous', 'longpoll', 'eventsource'].map(kind => new Follower((path, ...rest) => server.open(`/load/${path}`, ...rest), /** @type {any} */ (kind)))
    const following = Promise.all(followers.map(follower => follower.run()))
    const clients = createClients(server.ask, '/load', Math.random)
    const stop = new AbortController()
    const working = Promise.all(clients.map(client => work(client, stop.signal)))
    // An error of one of them ends the trial at once.
    const failure = Promise.race([working, following]).then(() => new Promise(() => {}))
    for (let round = 0; round < ROUNDS; round++) {
      await Promise.race([written(server, WRITES * (0.5 + Math.random())), failure])
      await Promise.race([server.kill(), failure])
    }
    await Promise.race([written(server, WRITES), failure])
    stop.abort()
    await working
    for (const client of clients) await client.verify()
    await verifyFeeds(following)
    const { code, stderr } = await server.stop()
    assert.equal(code, 0, stderr)
    console.log(`      ${server.writes} acknowledged writes, ${followers.map(({ kind, seen, connections }) => `${kind} ${seen.size} changes on ${connections} connections`).join(', ')}`)
  })

  async function verifyFeeds (following) {
    const { body: { results } } = await server.ask('GET', '/load/_changes')
    // Not `last_seq`: a purge has a sequence too, and no change that a feed would tell of.
    const last = results.at(-1).seq
    await Promise.race([Promise.all(followers.map(follower => follower.reached(last))), following])
    for (const follower of followers) {
      follower.stop()
      follower.verify(results)
    }
    await following
    const { body: info } = await server.ask('GET', '/load')
    assert.equal(info.doc_count, results.filter(({ deleted }) => !deleted).length)
  }
})

/** Works until it is told to stop; what is lost with the server is found out about later. */
async function work (client, signal) {
  for (let kills = 0; !signal.aborted;) {
    try {
      await client.step()
    } catch (error) {
      if (!(error instanceof Lost)) throw error
      if (++kills % 5 === 0) await verified(client)
    }
  }
}

async function verified (client) {
  try {
    await client.verify()
  } catch (error) {
    if (!(error instanceof Lost)) throw error
  }
}

/** Waits until that many more writes were acknowledged. */
function written (server, count) {
  const aim = server.writes + count
  return new Promise(resolve => {
    server.onWrite = writes => { if (writes + 1 >= aim) resolve(undefined) }
  })
}
