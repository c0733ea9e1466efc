'use strict'

const { table } = require('../dispatch/routes')
const { segmentsOf } = require('../http/path')
const { allowed } = require('../dispatch/route-table')
const { endAfterAnswer } = require('./pipelined-requests')

/** The answers of node:http where nobody listens. @type {Record<string, string>} */
const STATUS = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout'
}

/** On a socket: what came on it was no request of HTTP. */
const REFUSED = Symbol('refused connection')

const FAULTS_OF_HTTP = /^(HPE|ERR_HTTP)_/

/**
 * Answers what is no request of HTTP, and requests by methods that node's parser does not know: `copy`, `FOO`.
 * @param {any} server of node:http, or of node:http2 with HTTP/1.1
 */
function answerClientErrors (server) {
  server.on('clientError', (/** @type {any} */ error, /** @type {any} */ socket) => {
    // An answer would wait to be sent for ever if TLS or the network has failed.
    if (!FAULTS_OF_HTTP.test(error.code)) return socket.destroy()
    // The parser fails with all that comes behind it, too.
    if (socket[REFUSED] === true) return
    socket[REFUSED] = true
    if (endAfterAnswer(socket)) return
    // Once an answer has begun, nothing else may be written into it.
    if (socket.writable && !socket._httpMessage?._headerSent) socket.write(answerTo(error, socket))
    socket.destroySoon()
  })
  // It asks for a tunnel: `CONNECT host:443`, or, by clients that mean no proxy, `CONNECT /db/doc`.
  server.on('connect', (/** @type {any} */ req, /** @type {any} */ socket) => {
    // HTTP/2 has a response there.
    if (req.httpVersionMajor === 2) return socket.writeHead(405).end()
    socket.on('error', () => {})
    socket.end(refusal(req.url) ?? bare('400 Bad Request'))
  })
}

/** @param {{ code: string, rawPacket: Buffer, bytesParsed: number }} error @param {any} socket @returns {string} */
function answerTo ({ code, rawPacket, bytesParsed }, socket) {
  const unknown = code === 'HPE_INVALID_METHOD' && !socket._httpMessage ? urlOf(rawPacket, bytesParsed) : null
  return refusal(unknown) ?? bare(STATUS[code] ?? '400 Bad Request')
}

/**
 * The URL of a request whose method was not known, where all of its first line has come.
 *
 * @param {Buffer | undefined} bytes as they came
 * @param {number} [place] where the method went wrong
 */
function urlOf (bytes, place = 0) {
  if (bytes === undefined) return null
  const start = place === 0 ? 0 : bytes.lastIndexOf(0x0a, place - 1) + 1
  const line = bytes.toString('latin1', start, start + LONGEST_LINE)
  return /^[!#$%&'*+.^_`|~0-9A-Za-z-]+ (\/[^\s]*) HTTP\/1\.[01]\r?\n/.exec(line)?.[1] ?? null
}

const LONGEST_LINE = 16384

/** 405 in CouchDB's words, whatever there is and whoever asks: routes are no secret. @param {string | null | undefined} url */
function refusal (url) {
  if (!url?.startsWith('/')) return null
  const methods = methodsOf(url.split('?', 1)[0])
  if (methods === null) return json('404 Not Found', { error: 'not_found', reason: 'missing' })
  return json('405 Method Not Allowed', { error: 'method_not_allowed', reason: `Only ${methods} allowed` }, `Allow: ${methods}\r\n`)
}

/** @param {string} path */
function methodsOf (path) {
  try {
    const found = table.find(segmentsOf(path))
    return found === null || found.methods.get('GET')?.anyMethod ? null : allowed(found.methods)
  } catch {
    return null
  }
}

/** @param {string} status @param {any} body */
function json (status, body, headers = '') {
  const text = JSON.stringify(body) + '\n'
  return bare(status, `Cache-Control: must-revalidate\r\nContent-Type: application/json\r\nContent-Length: ${text.length}\r\n${headers}`) + text
}

/** @param {string} status */
function bare (status, headers = '') { return `HTTP/1.1 ${status}\r\nConnection: close\r\n${headers}\r\n` }

module.exports = { answerClientErrors }
