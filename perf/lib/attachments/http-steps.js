'use strict'

const http = require('node:http')
const { pipeline } = require('node:stream/promises')
const { content, consume } = require('./content')

const BOUNDARY = 'a-boundary-of-the-client'
const JSON_TYPE = { 'content-type': 'application/json' }

/** Sends a request and gives its answer, once its headers are there. */
function request (url, method, path, { headers = {}, body } = {}) {
  const { hostname, port, username, password } = new URL(url)
  return new Promise((resolve, reject) => {
    const sent = http.request({ hostname, port, path, method, headers, auth: `${username}:${password}` }, (response) => {
      if (response.statusCode < 300) return resolve(response)
      reject(new Error(`${method} ${path}: ${response.statusCode}`))
    })
    sent.on('error', reject)
    if (body === undefined || typeof body === 'string') sent.end(body)
    else pipeline(body, sent).catch(reject)
  })
}

async function done (...args) {
  (await request(...args)).resume()
}

async function * related (json, bytes) {
  yield `--${BOUNDARY}\r\nContent-Type: application/json\r\n\r\n${JSON.stringify(json)}\r\n--${BOUNDARY}\r\n\r\n`
  yield * content(bytes)
  yield `\r\n--${BOUNDARY}--`
}

async function lengthOf (response) {
  let length = 0
  for await (const part of response) length += part.length
  return length
}

async function readAtLeast (response, bytes) {
  const length = await lengthOf(response)
  if (length < bytes) throw new Error(`${length} bytes instead of more than ${bytes}`)
}

const multipart = (type) => ({ accept: `multipart/${type}` })

/** The requests of a client of the server at `url`. Documents `a` and `b` get an attachment `f`. */
const steps = {
  'PUT attachment': (url, bytes) => done(url, 'PUT', '/db/a/f', { headers: { 'content-length': bytes }, body: content(bytes) }),
  'GET attachment': async (url, bytes) => consume(await request(url, 'GET', '/db/a/f'), bytes),
  'GET a range of it': async (url, bytes) => consume(await request(url, 'GET', '/db/a/f', { headers: { range: `bytes=1-${bytes - 1}` } }), bytes - 1),
  'PUT multipart/related': (url, bytes) => done(url, 'PUT', '/db/b', {
    headers: { 'content-type': `multipart/related; boundary=${BOUNDARY}` },
    body: related({ _attachments: { f: { follows: true, content_type: 'application/octet-stream', length: bytes } } }, bytes)
  }),
  'GET multipart/related': async (url, bytes) => readAtLeast(await request(url, 'GET', '/db/b?attachments=true', { headers: multipart('related') }), bytes),
  'GET open_revs': async (url, bytes) => readAtLeast(await request(url, 'GET', '/db/b?open_revs=all', { headers: multipart('mixed') }), bytes),
  '_bulk_get multipart': async (url, bytes) => readAtLeast(await request(url, 'POST', '/db/_bulk_get?attachments=true', {
    headers: { ...JSON_TYPE, ...multipart('mixed') }, body: JSON.stringify({ docs: [{ id: 'b' }] })
  }), bytes),
  COPY: (url) => done(url, 'COPY', '/db/b', { headers: { destination: 'c' } })
}

/** The server at `url` pulls from the other one, or pushes to it. */
const replications = {
  'replicate: pull': (url, bytes, other) => replicate(url, { source: `${other}/db`, target: 'pulled', create_target: true }),
  'replicate: push': (url, bytes, other) => replicate(url, { source: 'db', target: `${other}/pushed`, create_target: true })
}

async function replicate (url, body) {
  const response = await request(url, 'POST', '/_replicate', { headers: JSON_TYPE, body: JSON.stringify(body) })
  let text = ''
  for await (const part of response) text += part
  const { history } = JSON.parse(text)
  if (history[0].doc_write_failures > 0 || history[0].docs_written === 0) throw new Error(text)
}

module.exports = { request, done, steps, replications }
