'use strict'

const assert = require('node:assert/strict')
const { once } = require('node:events')
const fs = require('node:fs')
const net = require('node:net')
const { DataFolder } = require('./data-folder')

const CONNECTIONS = 1000
const LIMIT = '/proc/sys/net/core/somaxconn'

describe('a server that stands still for a moment', () => {
  const folder = new DataFolder('classic-level')
  const sockets = []

  after(async () => {
    for (const socket of sockets) socket.destroy()
    await folder.remove()
  })

  /** The status of an answer. */
  async function answerOn (socket) {
    await once(socket, 'connect')
    const answer = once(socket, 'data')
    socket.write('GET /_up HTTP/1.1\r\nHost: x\r\n\r\n')
    return String(await answer).slice(9, 12)
  }

  it('keeps all who come meanwhile, and answers them', async function () {
    if (!fs.existsSync(LIMIT) || Number(fs.readFileSync(LIMIT, 'utf8')) < CONNECTIONS) return this.skip()
    const server = await folder.start()
    const port = Number(new URL(await server.started).port)
    process.kill(server.pid, 'SIGSTOP')
    for (let i = 0; i < CONNECTIONS; i++) sockets.push(net.connect(port, '127.0.0.1'))
    const answers = sockets.map(answerOn)
    // The kernel connects them if there is room in its queue.
    await Promise.all(sockets.map(socket => once(socket, 'connect')))
    process.kill(server.pid, 'SIGCONT')
    assert.deepEqual(new Set(await Promise.all(answers)), new Set(['200']))
  })
})
