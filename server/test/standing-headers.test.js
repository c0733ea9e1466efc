'use strict'

const assert = require('node:assert/strict')
const { once } = require('node:events')
const http = require('node:http')
const { setStandingHeaders, withStandingHeaders } = require('../lib/http/standing-headers')

describe('Standing headers', () => {
  for (const [kind, ServerResponse] of Object.entries({ 'a response of ours': withStandingHeaders(http.ServerResponse), "node's response": http.ServerResponse })) {
    it(`are in the answer of ${kind}, however its head is written`, async () => {
      const ways = {
        list: res => res.writeHead(201, ['ETag', '"1"']).end('{}'),
        object: res => res.writeHead(201, { ETag: '"1"' }).end('{}'),
        phrase: res => res.writeHead(201, 'Made', { ETag: '"1"' }).end('{}'),
        byItself: res => { res.statusCode = 201; res.setHeader('ETag', '"1"'); res.end('{}') },
        both: res => { res.setHeader('Vary', 'Origin'); res.writeHead(201, ['ETag', '"1"']).end('{}') }
      }
      for (const [way, answer] of Object.entries(ways)) {
        const headers = await ask(ServerResponse, res => { setStandingHeaders(res, ['Server', 'here', 'X-Id', '7']); answer(res) })
        assert.deepEqual([headers.server, headers['x-id'], headers.etag], ['here', '7', '"1"'], way)
        if (way === 'both') assert.equal(headers.vary, 'Origin')
      }
    })

    it(`give way to what is set by name in ${kind}`, async () => {
      const headers = await ask(ServerResponse, res => { setStandingHeaders(res, ['Server', 'here']); res.setHeader('server', 'there'); res.writeHead(200, []).end() })
      assert.equal(headers.server, 'there')
    })
  }
})

async function ask (ServerResponse, answer) {
  const server = http.createServer({ ServerResponse }, (req, res) => answer(res)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    const [res] = await once(http.get({ port: server.address().port, host: '127.0.0.1', agent: false }), 'response')
    res.resume()
    return res.headers
  } finally {
    server.close()
  }
}
