'use strict'

const assert = require('node:assert/strict')
const http = require('node:http')
const { once } = require('node:events')
const { OwnerClient } = require('../lib/passing/owner-client')

/** Messages about a request come from its owner, which may be another server. */
describe('messages of an owner', () => {
  let server, client, log, asked

  beforeEach(async () => {
    log = []
    client = new OwnerClient({ send: ([kind, id]) => { if (kind === 'request') asked(id) } }, text => log.push(text))
    server = http.createServer((req, res) => client.passOn(req, res, null, {})).listen(0, '127.0.0.1')
    await once(server, 'listening')
  })

  afterEach(() => {
    server.closeAllConnections()
    server.close()
  })

  const request = () => {
    const passed = new Promise(resolve => { asked = resolve })
    return { passed, answer: fetch(`http://127.0.0.1:${server.address().port}/`) }
  }

  it('are the answer', async () => {
    const { passed, answer } = request()
    const id = await passed
    client.receive(['head', id, JSON.stringify({ status: 201, headers: {} })])
    client.receive(['data', id, Buffer.from('one ')])
    client.receive(['end', id, 'two'])
    const response = await answer
    assert.deepEqual([response.status, await response.text(), log], [201, 'one two', []])
  })

  for (const kind of ['lose', 'begin', 'settle', 'constructor', '__proto__', 'toString', undefined, 7]) {
    it(`of no kind that there is break the request off: ${kind}`, async () => {
      const { passed, answer } = request()
      const id = await passed
      client.receive([kind, id, true])
      await assert.rejects(answer)
      assert.equal(log.length, 1)
      assert.match(log[0], /There is no message/)
    })
  }
})
