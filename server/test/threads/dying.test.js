'use strict'

const assert = require('node:assert/strict')
const { spawn } = require('node:child_process')
const { EventEmitter, once } = require('node:events')
const fs = require('node:fs/promises')
const http = require('node:http')
const net = require('node:net')
const os = require('node:os')
const path = require('node:path')
const { ADMIN } = require('./threaded-server')

describe('A thread that dies', () => {
  let folder, child, url, logged
  const told = new EventEmitter()

  beforeEach(async () => {
    const shared = await fs.access('/dev/shm').then(() => '/dev/shm', () => os.tmpdir())
    folder = await fs.mkdtemp(path.join(shared, 'potoroo-dying-'))
    const args = [path.join(__dirname, 'mortal-server.js'), folder, '256']
    child = spawn('sh', ['-c', `ulimit -n ${args.at(-1)} && exec "$0" "$@"`, process.execPath, ...args], { stdio: ['inherit', 'inherit', 'inherit', 'ipc'] })
    logged = ''
    child.on('message', message => {
      if ('log' in message) logged += message.log
      told.emit(Object.keys(message)[0], Object.values(message)[0])
    })
    child.on('exit', code => told.emit('error', new Error(`The server ended with ${code}: ${logged}`)));
    [url] = await once(told, 'url')
  })
  afterEach(async () => {
    child.removeAllListeners('exit')
    if (child.exitCode === null) {
      child.kill()
      await once(child, 'exit')
    }
    await fs.rm(folder, { recursive: true })
  })

  async function order (...words) {
    child.send(words)
    const [result] = await once(told, 'done')
    return result
  }

  /** Over a connection of its own. @returns {Promise<any>} the answer's body */
  async function ask (method, target, body) {
    const request = http.request(url + target, { method, agent: new http.Agent(), headers: { authorization: ADMIN, 'content-type': 'application/json', ...(body !== undefined && { 'content-length': body.length }) } })
    request.end(body)
    const [response] = await once(request, 'response')
    return JSON.parse(Buffer.concat(await response.toArray()))
  }

  /** Resolves when the log has this so often. */
  async function heard (pattern, times = 1) {
    while ([...logged.matchAll(pattern)].length < times) await once(told, 'log')
  }

  const ENDED = /A thread that serves HTTP ended with \d+; another takes its place/g

  async function allThere () {
    await order('replaced')
    assert.equal((await order('count')).workers, 2)
    for (let n = 0; n < 8; n++) assert.equal((await ask('GET', '/')).couchdb, 'Welcome')
  }

  it('of an exception is told of, and others go on', async () => {
    await order('throw')
    for (let n = 0; n < 8; n++) await ask('GET', '/').catch(error => assert.equal(error.code, 'ECONNRESET'))
    await heard(ENDED)
    assert.match(logged, /A thread that serves HTTP failed: TypeError/)
    await allThere()
  })

  it('of a lack of memory is told of, and others go on', async () => {
    await ask('PUT', '/db')
    // Threads pass on what somebody asks for the first time.
    for (let n = 0; n < 8; n++) await ask('GET', '/')
    const body = `{${Array.from({ length: 300_000 }, (_, n) => `"document-${n}":["1-${n}"]`).join()}}`
    await assert.rejects(ask('POST', '/db/_revs_diff', body), { code: 'ECONNRESET' })
    await heard(ENDED)
    assert.match(logged, /ERR_WORKER_OUT_OF_MEMORY/)
    await allThere()
    assert.equal((await ask('GET', '/db')).db_name, 'db')
  })

  it('is replaced once the system has a thread again', async () => {
    await order('kill', 'refused', 'refused')
    await heard(/did not start, and is tried again: Error: The system has no thread/g, 2)
    await allThere()
  })

  it('has as many connections in its place, however many descriptors were left', async () => {
    await order('fill')
    await order('kill')
    await heard(ENDED)
    await order('replaced')
    await order('empty')
    const sockets = Array.from({ length: 40 }, () => net.connect(Number(new URL(url).port), '127.0.0.1'))
    await Promise.all(sockets.map(socket => once(socket, 'connect')))
    const answers = await Promise.all(sockets.map(async socket => {
      socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
      return String((await once(socket, 'data'))[0]).split('\r\n', 1)[0]
    }))
    for (const socket of sockets) socket.destroy()
    assert.deepEqual([...new Set(answers)], ['HTTP/1.1 200 OK'])
  })

  it('leaves nothing behind, wherever it was', async () => {
    const { statistics } = await order('count')
    const counted = async () => (await ask('GET', '/_node/_local/_stats/couchdb/httpd_request_methods/GET')).value
    for (let n = 0; n < 8; n++) await ask('GET', '/')
    const before = await counted()
    await order('kill', 'killed')
    await heard(ENDED, 2)
    await allThere()
    assert.equal((await order('count')).statistics, statistics)
    assert.ok(await counted() > before)
    await order('close')
    await assert.rejects(ask('GET', '/'), { code: 'ECONNREFUSED' })
  })
})
