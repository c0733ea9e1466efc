'use strict'

const { once } = require('node:events')
const { readFileSync } = require('node:fs')
const net = require('node:net')

const LOWEST = 20_000

/** The first port that the system gives to connections by itself; without Linux the usual one. */
function firstOfTheSystem () {
  try {
    return Number(readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8').split(/\s+/)[0])
  } catch {
    return 32_768
  }
}

/**
 * A free port of 127.0.0.1, for a server that is to come back at the same address: below those that
 * the system gives away by itself, also to connections of other tests while the server is down.
 *
 * @returns {Promise<number>}
 */
async function freePort () {
  const room = Math.max(firstOfTheSystem() - LOWEST, 1000)
  for (;;) {
    const port = LOWEST + Math.floor(Math.random() * room)
    if (await isFree(port)) return port
  }
}

async function isFree (port) {
  const server = net.createServer().listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
    server.close()
    await once(server, 'close')
    return true
  } catch {
    return false
  }
}

module.exports = { freePort }
