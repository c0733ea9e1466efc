'use strict'

const assert = require('node:assert')
const { spawn } = require('node:child_process')
const { once } = require('node:events')
const { existsSync } = require('node:fs')
const net = require('node:net')
const path = require('node:path')
const { DataFolder, admin } = require('./data-folder')
const { HttpClient } = require('./http-client')

const program = path.resolve(__dirname, '../../server/bin/potoroo.js')

describe('a server that may open few files', function () {
  this.timeout(600_000)
  let folder, child, url
  const sockets = new Set()

  before(async function () {
    if (!existsSync('/proc/self/limits')) return this.skip()
    folder = new DataFolder('classic-level')
    child = spawn('sh', ['-c', 'ulimit -n 128; exec "$@"', 'sh', process.execPath, program, 'serve', ...folder.words()], { stdio: ['ignore', 'pipe', 'inherit'] })
    let text = ''
    for await (const chunk of child.stdout.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
      text += chunk
      if (text.includes('\n')) break
    }
    child.stdout.resume()
    url = new URL(/http:\/\/\S+?:\d+/.exec(text)?.[0] ?? '')
  })
  after(async () => {
    for (const socket of sockets) socket.destroy()
    if (child?.exitCode === null) {
      child.kill('SIGKILL')
      await once(child, 'close')
    }
    await folder?.remove()
  })

  /** The status of an answer on a connection that stays open. */
  async function ask () {
    const socket = net.connect(Number(url.port), '127.0.0.1')
    sockets.add(socket)
    const first = new Promise((resolve, reject) => {
      socket.once('data', data => resolve(data.toString('latin1').slice(9, 12)))
      socket.on('error', reject)
      socket.on('close', () => reject(new Error('closed without an answer')))
    })
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    return first
  }

  it('answers each of more connections than it may have, or says that they are too many', async () => {
    const statuses = new Set()
    for (let i = 0; i < 300; i++) statuses.add(await ask())
    for (const status of statuses) assert.ok(['200', '503'].includes(status), status)
    assert.strictEqual(child.exitCode, null)
  })

  it('answers them where they come at the same moment, too', async () => {
    for (const socket of sockets) socket.destroy()
    const statuses = await Promise.all(Array.from({ length: 300 }, ask))
    assert.deepStrictEqual(statuses.filter(status => !['200', '503'].includes(status)), [])
    assert.ok(statuses.includes('200'))
    assert.strictEqual(child.exitCode, null)
  })

  it('goes on afterwards, and has files left for databases', async () => {
    for (const socket of sockets) socket.destroy()
    const client = new HttpClient(url.origin, admin)
    await client.ask('PUT', '/todos')
    await client.ask('PUT', '/todos/a', {})
    assert.strictEqual((await client.ask('GET', '/todos')).doc_count, 1)
  })

  it('stops while some wait to be accepted', async () => {
    const silent = Array.from({ length: 300 }, () => net.connect(Number(url.port), '127.0.0.1').on('error', () => {}))
    for (const socket of silent) sockets.add(socket)
    await Promise.all(silent.map(socket => once(socket, 'connect')))
    const closed = once(child, 'close')
    child.kill('SIGTERM')
    assert.deepStrictEqual(await closed, [0, null])
  })
})
