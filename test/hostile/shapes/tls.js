'use strict'

const assert = require('node:assert/strict')
const crypto = require('node:crypto')
const { once } = require('node:events')
const net = require('node:net')

/** @type {import('../support/run-shape').Shape} */
module.exports = {
  name: 'tls',
  what: 'handshakes that stop half-way, are no handshakes, ask for more handshakes or never end are cut, and others are served',
  server: { tls: true, config: { chttpd: { headers_timeout: 8000, stall_timeout: 8000 } } },
  sizes: { short: { connections: 200, handshakes: 100, renegotiations: 20 }, long: { connections: 3000, handshakes: 3000, renegotiations: 500 } },
  bounds: { stall: 500, peak: 300, left: 100 },

  async attack (subject, { connections, handshakes, renegotiations }) {
    const before = (await subject.call('figures')).descriptors
    const sockets = await Promise.all(Array.from({ length: connections }, (_, n) => halfway(subject, n)))
    await served(subject)
    for (let n = 0; n < handshakes; n += 20) {
      await Promise.all(Array.from({ length: 20 }, async () => (await subject.connectSecurely({ minVersion: n % 40 === 0 ? 'TLSv1.2' : 'TLSv1.3' })).destroy()))
    }
    const renegotiated = await renegotiate(subject, renegotiations)
    await served(subject)
    // headers_timeout is the time of a handshake.
    await Promise.all(sockets.map(socket => socket.closed || new Promise(resolve => socket.once('close', resolve))))
    await served(subject)
    await subject.fewDescriptors(before + 10)
    return { 'cut half-way': sockets.length, handshakes, renegotiated }
  },
  faults: /$^/
}

async function served (subject) {
  const socket = await subject.connectSecurely()
  socket.write(subject.head('GET', '/_up', { Connection: 'close' }))
  const [head] = await once(socket, 'data')
  assert.match(String(head), /^HTTP\/1.1 200 /)
  subject.count(200)
  socket.destroy()
}

/** The first bytes of a ClientHello, noise, or nothing. */
async function halfway (subject, n) {
  const socket = net.connect({ host: '127.0.0.1', port: Number(subject.secureOrigin.port) })
  socket.on('error', () => {}).resume()
  await once(socket, 'connect')
  // A full queue of connections drops some that a client takes for open: who says nothing learns of it by a probe.
  socket.setKeepAlive(true, 1000)
  const starts = [() => Buffer.alloc(0), () => Buffer.from([22, 3, 1, 2, 0, 1, 0, 1, 252, 3, 3]), () => Buffer.from([22, 3, 1, 64, 0]), () => crypto.randomBytes(512), () => Buffer.from('GET / HTTP/1.1\r\n\r\n'), () => Buffer.alloc(5000, 22)]
  socket.write(starts[n % starts.length]())
  return socket
}

/** TLS 1.2 lets a client ask for a handshake again and again: each costs the server most. */
async function renegotiate (subject, most) {
  const socket = await subject.connectSecurely({ maxVersion: 'TLSv1.2' })
  let done = 0
  for (; done < most && !socket.destroyed; done++) {
    const isOver = await new Promise(resolve => {
      socket.once('close', () => resolve(true))
      if (!socket.renegotiate({ rejectUnauthorized: false }, error => resolve(error !== null))) resolve(true)
    })
    if (isOver) break
  }
  socket.destroy()
  assert.ok(done < 10, `${done} handshakes on one connection`)
  return done
}
