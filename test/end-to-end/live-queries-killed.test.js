'use strict'

const assert = require('node:assert/strict')
const { freePort } = require('../support/free-port')
const { ServerProcess } = require('../support/server-process')
const { DataFolder, admin } = require('./data-folder')
const { LiveResult } = require('../http/support/live-result')

const ROUNDS = 5
/** Events that a client has had before the server is killed. */
const EVENTS = 60

const authorization = `Basic ${Buffer.from(`${admin.name}:${admin.password}`).toString('base64')}`
const headers = { authorization, accept: 'application/json', 'content-type': 'application/json' }

describe('live queries of a server that is killed', () => {
  /** @type {DataFolder} */
  let folder
  /** @type {ServerProcess} */
  let server
  let words
  let url = ''

  const start = async () => {
    server = await ServerProcess.start(words)
    url = await server.started
  }
  const ask = async (method, path, body) => {
    const answer = await fetch(url + path, { method, headers, body: body && JSON.stringify(body) })
    return { status: answer.status, body: await answer.json() }
  }

  before(async () => {
    folder = new DataFolder('pmem', { iterations: 10 })
    words = ['--port', String(await freePort()), '--data', folder.path, '--storage', 'pmem', '--size', '256M', '--allow-volatile', '--admin', `${admin.name}:${admin.password}`]
    await start()
    await ask('PUT', '/db')
  })

  after(async () => {
    await server.end('SIGKILL')
    folder.remove()
  })

  /** Follows a query until the server is gone, or until an event after which it is enough. */
  async function follow (result, isEnough) {
    const asked = { selector: { n: { $gt: 3 } }, ...(result.bookmark && { bookmark: result.bookmark, known: result.known }) }
    const answer = await fetch(`${url}/db/_find?feed=continuous&heartbeat=1000`, { method: 'POST', headers, body: JSON.stringify(asked) })
    const decoder = new TextDecoder()
    let rest = ''
    try {
      for await (const chunk of answer.body) {
        const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
        rest = /** @type {string} */ (lines.pop())
        for (const line of lines) if (line !== '' && isEnough(result.apply(JSON.parse(line)))) return
      }
    } catch {
      // The server was killed.
    }
  }

  /** Writes until the server is gone. */
  async function write () {
    try {
      for (let i = 0; ; i++) {
        const id = `d${i * 7 % 30}`
        const { body } = await ask('GET', `/db/${id}`)
        await ask('PUT', `/db/${id}`, { n: (i * 5 + Date.now()) % 9, ...(body._rev && { _rev: body._rev }) })
      }
    } catch {
      // It was.
    }
  }

  it('go on from their bookmarks with what they have not had, once and in full', async () => {
    const result = new LiveResult()
    for (let round = 0; round < ROUNDS; round++) {
      const writing = [write(), write(), write()]
      let events = 0
      /** @type {Promise<any>} */
      let killed = Promise.resolve()
      await follow(result, () => {
        if (++events === EVENTS) killed = server.end('SIGKILL')
        return false
      })
      await killed
      await Promise.all(writing)
      assert.ok(events >= EVENTS, `${events} events`)
      await start()
      await follow(result, ({ type }) => type === 'ready')
      const { body } = await ask('POST', '/db/_find', { selector: { n: { $gt: 3 } }, limit: 100 })
      assert.deepEqual(result.revisions, body.docs.map(({ _id, _rev }) => `${_id} ${_rev}`).sort())
    }
  })
})
