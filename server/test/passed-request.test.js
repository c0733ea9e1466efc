'use strict'

const assert = require('node:assert')
const { PassedRequest } = require('../lib/passing/passed-request')

const connection = { remoteAddress: '10.0.0.7', remotePort: 4321, localAddress: '10.0.0.8', localPort: 5984, encrypted: true }

function requestOf (head) {
  return new PassedRequest({ method: 'GET', url: '/db/doc', headers: {}, rawHeaders: [], connection, ...head }, () => {}, () => {})
}

describe('A request that another server passes on', function () {
  it('has what the other server has found out', function () {
    const extra = { user: { name: 'alice' }, forwarded: 1, inShard: true, merging: { find: '' }, originalUrl: '/mount/db/doc', baseUrl: '/mount', internal: true, passed: 'lease' }
    const req = requestOf({ extra })
    for (const [name, value] of Object.entries(extra)) assert.deepStrictEqual(req[name], value)
    const plain = requestOf({})
    assert.deepStrictEqual([plain.user, plain.originalUrl, plain.baseUrl, plain.internal, plain.passed], [undefined, '/db/doc', '', undefined, undefined])
  })

  it('takes nothing of its own from the other server', function () {
    const wrong = { method: 'DELETE', url: '/other', headers: { host: 'other' }, complete: true, takenBody: { bytes: 'x' }, bodyInstead: 'x', isKnown: true, receive: 1, destroyed: true, args: {} }
    const req = requestOf({ extra: wrong })
    assert.deepStrictEqual([req.method, req.url, req.complete, req.isKnown, req.destroyed], ['GET', '/db/doc', false, undefined, false])
    for (const name of ['takenBody', 'bodyInstead', 'args']) assert.ok(!(name in req), name)
    assert.strictEqual(typeof req.receive, 'function')
  })

  it('has the other server\'s connection, and nothing else of it', function () {
    const { socket } = requestOf({ connection: { ...connection, destroy: 'no function', writable: false } })
    for (const [name, value] of Object.entries(connection)) assert.strictEqual(socket[name], value)
    assert.deepStrictEqual([typeof socket.destroy, socket.writable], ['function', true])
    assert.strictEqual(requestOf({ connection: { remoteAddress: '::1' } }).socket.encrypted, false)
  })
})
