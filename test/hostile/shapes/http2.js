'use strict'

const assert = require('node:assert/strict')
const { once } = require('node:events')
const { FLAG, TYPE, block, connect, frame, literal, session } = require('../support/http2')

const number = value => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

/** A request that is whole with its headers. */
const request = (subject, stream, target) => frame(TYPE.HEADERS, FLAG.END_STREAM | FLAG.END_HEADERS, stream, block('GET', target, { authorization: subject.authorization }))

/** Things that are sent without end: the n-th piece of each. */
const floods = {
  'streams that are reset at once': (subject, n) => Buffer.concat([request(subject, 2 * n + 1, '/h/_all_docs?include_docs=true'), frame(TYPE.RST_STREAM, 0, 2 * n + 1, number(8))]),
  'streams that are reset by an error': (subject, n) => Buffer.concat([request(subject, 2 * n + 1, '/h/_find'), frame(TYPE.WINDOW_UPDATE, 0, 2 * n + 1, number(0))]),
  'headers without end': (subject, n) => n === 0
    ? frame(TYPE.HEADERS, FLAG.END_STREAM, 1, block('GET', '/_up'))
    : frame(TYPE.CONTINUATION, 0, 1, literal(`x-${n}`, 'a'.repeat(1000))),
  'empty pieces of headers': (subject, n) => n === 0 ? frame(TYPE.HEADERS, FLAG.END_STREAM, 1, block('GET', '/_up')) : frame(TYPE.CONTINUATION, 0, 1),
  settings: () => frame(TYPE.SETTINGS, 0, 0, Buffer.from([0, 3, 0, 0, 0, 100])),
  'settings in one frame': () => frame(TYPE.SETTINGS, 0, 0, Buffer.concat(Array(2000).fill(Buffer.from([0, 4, 0, 0, 255, 255])))),
  pings: () => frame(TYPE.PING, 0, 0, Buffer.alloc(8)),
  'empty data': (subject, n) => n === 0
    ? frame(TYPE.HEADERS, FLAG.END_HEADERS, 1, block('PUT', '/h/d/a', { authorization: subject.authorization, 'content-type': 'text/plain' }))
    : frame(TYPE.DATA, 0, 1),
  priorities: (subject, n) => frame(TYPE.PRIORITY, 0, 2 * n + 1, Buffer.from([0, 0, 0, 0, 1])),
  'windows that are opened by a byte': () => frame(TYPE.WINDOW_UPDATE, 0, 0, number(1)),
  'frames of a type that is none': () => frame(0xee, 0, 0, Buffer.alloc(100)),
  'frames that are too long': () => frame(TYPE.DATA, 0, 1, Buffer.alloc(20_000)),
  'wrong passwords that are reset': (subject, n) => Buffer.concat([
    frame(TYPE.HEADERS, FLAG.END_STREAM | FLAG.END_HEADERS, 2 * n + 1, block('GET', '/h', { authorization: `Basic ${Buffer.from(`nobody${n}:x`).toString('base64')}` })), frame(TYPE.RST_STREAM, 0, 2 * n + 1, number(8))
  ]),
  'views that are reset': (subject, n) => Buffer.concat([request(subject, 2 * n + 1, '/h/_design/d/_view/v?include_docs=true'), frame(TYPE.RST_STREAM, 0, 2 * n + 1, number(8))]),
  'bytes that are no frames': () => Buffer.alloc(1000, 0xff)
}

/** @type {import('../support/run-shape').Shape} */
module.exports = {
  name: 'http2',
  what: 'floods of HTTP/2 (rapid reset, CONTINUATION, settings, pings …) are cut off or cost little, and others are served',
  server: { tls: true, config: { chttpd: { headers_timeout: 20_000, stall_timeout: 20_000 } } },
  sizes: { short: { frames: 5000, connections: 1, windows: 20 }, long: { frames: 200_000, connections: 4, windows: 200 } },
  bounds: { stall: 800, peak: 400, left: 150 },

  async prepare (subject) {
    await subject.done('PUT', '/h')
    await subject.done('POST', '/h/_bulk_docs', { docs: Array.from({ length: 1000 }, (_, n) => ({ _id: `d${n}`, text: 'x'.repeat(2000) })) })
    await subject.done('PUT', '/h/_design/d', { views: { v: { map: 'function (doc) { emit(doc._id) }' } } })
    await subject.done('GET', '/h/_design/d/_view/v?limit=0')
  },

  async attack (subject, { frames, connections, windows }) {
    let cut = 0
    for (const [what, piece] of Object.entries(floods)) {
      const ended = await Promise.all(Array.from({ length: connections }, () => flood(subject, piece, frames)))
      cut += ended.filter(Boolean).length
      await served(subject, what)
    }
    await keepShut(subject, windows)
    return { floods: Object.keys(floods).length * connections, 'cut off': cut }
  }
}

/** @returns {Promise<boolean>} whether the server has ended it */
async function flood (subject, piece, frames) {
  const socket = await connect(subject)
  socket.resume().setMaxListeners(0)
  for (let n = 0; n < frames && !socket.closed;) {
    const pieces = []
    for (let i = 0; i < 100; i++) pieces.push(piece(subject, n++))
    if (!socket.write(Buffer.concat(pieces))) await Promise.race([once(socket, 'drain'), once(socket, 'close')].map(each => each.catch(() => {})))
  }
  const isCut = socket.closed
  socket.destroy()
  return isCut
}

async function served (subject, what) {
  const client = session(subject)
  const stream = client.request({ ':path': '/h/d1', authorization: subject.authorization })
  const [headers] = await once(stream, 'response')
  assert.equal(headers[':status'], 200, what)
  subject.count(200)
  stream.resume()
  await once(stream, 'end')
  client.destroy()
}

/** Answers for which the client never has room. */
async function keepShut (subject, count) {
  const sockets = await Promise.all(Array.from({ length: Math.ceil(count / 100) }, async () => {
    const socket = await connect(subject)
    socket.resume()
    socket.write(frame(TYPE.SETTINGS, 0, 0, Buffer.from([0, 4, 0, 0, 0, 0])))
    for (let n = 0; n < 100; n++) socket.write(request(subject, 2 * n + 1, '/h/_all_docs?include_docs=true'))
    return socket
  }))
  await served(subject, 'windows that stay shut')
  for (const socket of sockets) socket.destroy()
}
