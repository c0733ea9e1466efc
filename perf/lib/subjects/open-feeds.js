'use strict'

const { once } = require('node:events')
const net = require('node:net')

/**
 * One feed: resolves when the server has begun to answer.
 *
 * @param {{ origin: URL, authorization: string }} server
 * @param {string} target
 * @returns {Promise<net.Socket>}
 */
async function follow ({ origin, authorization }, target) {
  const socket = net.connect({ host: origin.hostname, port: Number(origin.port) })
  socket.write(`GET ${target} HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\n\r\n`)
  await once(socket, 'data')
  return socket
}

/**
 * Opens feeds, each on a connection of its own.
 *
 * @param {{ origin: URL, authorization: string }} server
 * @param {string} target
 * @param {number} count
 */
async function openFeeds (server, target, count) {
  const sockets = []
  while (sockets.length < count) sockets.push(...await Promise.all(Array.from({ length: Math.min(100, count - sockets.length) }, () => follow(server, target))))
  return sockets
}

/**
 * All of them are told of a write.
 *
 * @param {net.Socket[]} sockets
 * @param {() => Promise<any>} write
 */
async function tellAll (sockets, write) {
  const told = Promise.all(sockets.map(async socket => {
    for (;;) if (String((await once(socket, 'data'))[0]).includes('"id"')) return
  }))
  await write()
  await told
}

module.exports = { openFeeds, tellAll }
