'use strict'

const http2 = require('node:http2')

/** Types of frames. @see https://www.rfc-editor.org/rfc/rfc9113#section-6 */
const TYPE = { DATA: 0, HEADERS: 1, PRIORITY: 2, RST_STREAM: 3, SETTINGS: 4, PUSH_PROMISE: 5, PING: 6, GOAWAY: 7, WINDOW_UPDATE: 8, CONTINUATION: 9 }

const FLAG = { END_STREAM: 1, ACK: 1, END_HEADERS: 4 }

const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')

/**
 * A frame as it goes over a connection.
 *
 * @param {number} type
 * @param {number} flags
 * @param {number} stream
 * @param {Buffer} [payload]
 */
function frame (type, flags, stream, payload = Buffer.alloc(0)) {
  const head = Buffer.alloc(9)
  head.writeUIntBE(payload.length, 0, 3)
  head[3] = type
  head[4] = flags
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, payload])
}

/** A header as a literal that no table keeps. @see https://www.rfc-editor.org/rfc/rfc7541#section-6.2.2 */
function literal (name, value) {
  return Buffer.concat([Buffer.from([0]), text(name), text(value)])
}

/** Shorter than 127 bytes, or with a length of several. */
function text (value) {
  const bytes = Buffer.from(value)
  if (bytes.length < 127) return Buffer.concat([Buffer.from([bytes.length]), bytes])
  const length = [127]
  let rest = bytes.length - 127
  for (; rest >= 128; rest >>= 7) length.push((rest & 127) | 128)
  length.push(rest)
  return Buffer.concat([Buffer.from(length), bytes])
}

/** The headers of a request. */
function block (method, target, headers = {}) {
  const all = { ':method': method, ':scheme': 'https', ':path': target, ':authority': 'localhost', ...headers }
  return Buffer.concat(Object.entries(all).map(([name, value]) => literal(name, value)))
}

/**
 * A connection on which frames are sent as they are.
 *
 * @param {import('./subject').Subject} subject
 * @returns {Promise<import('node:tls').TLSSocket>}
 */
async function connect (subject) {
  const socket = await subject.connectSecurely({ ALPNProtocols: ['h2'] })
  socket.write(Buffer.concat([PREFACE, frame(TYPE.SETTINGS, 0, 0)]))
  return socket
}

/** A client that keeps to the rules. */
function session (subject) {
  // Its streams tell of what goes wrong.
  return http2.connect(subject.secureOrigin.origin, { rejectUnauthorized: false }).on('error', () => {})
}

module.exports = { FLAG, TYPE, block, connect, frame, literal, session }
