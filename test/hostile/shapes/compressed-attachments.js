'use strict'

const assert = require('node:assert/strict')
const zlib = require('node:zlib')
const { beside } = require('../support/functions')

const MEBIBYTE = 2 ** 20

/** @type {import('../support/run-shape').Shape} */
module.exports = {
  name: 'compressed-attachments',
  what: 'attachments that are a thousand times as long when they are decoded are kept as they came, decoded for readers piece by piece, and cut where they lied',
  sizes: { short: { megabytes: 20, count: 4 }, long: { megabytes: 500, count: 16 } },
  bounds: { stall: 300, peak: 400, left: 150 },

  async attack (subject, { megabytes, count }) {
    await subject.done('PUT', '/g')
    await subject.done('PUT', '/g/good', { n: 1 })
    const bomb = await gzip(megabytes)
    const told = { follows: true, content_type: 'text/plain', encoding: 'gzip', length: megabytes * MEBIBYTE, encoded_length: bomb.length }
    const body = related({ told, lied: { ...told, length: 1 } }, [bomb, bomb])
    for (let i = 0; i < count; i++) assert.equal((await subject.ask('PUT', `/g/d${i}`, body, { 'content-type': 'multipart/related; boundary=b' })).status, 201)
    // A whole body is another matter: what it holds is told, or refused, by its size.
    const { status: whole } = await subject.ask('PUT', '/g/whole', bomb, { 'content-encoding': 'gzip' })
    assert.ok([400, 413].includes(whole), String(whole))
    const { status } = await subject.ask('PUT', '/g/put/a', bomb, { 'content-encoding': 'gzip', 'content-type': 'text/plain' })
    assert.equal(status, 201)
    const targets = ['/g/put/a', ...Array.from({ length: count }, (_, i) => ['told', 'lied'].map(name => `/g/d${i}/${name}`)).flat()]
    let decoded = 0
    const read = async target => {
      const bytes = await countBytes(subject, target)
      decoded += bytes
    }
    await beside(targets.map(target => () => read(target)), async () => {
      assert.equal((await subject.done('GET', '/g/good')).body.n, 1)
    })
    return { 'bytes sent': bomb.length, 'MB decoded': Math.round(decoded / MEBIBYTE) }
  }
}

function related (attachments, contents) {
  const parts = contents.map(content => Buffer.concat([Buffer.from('\r\n--b\r\n\r\n'), content]))
  return Buffer.concat([Buffer.from(`--b\r\nContent-Type: application/json\r\n\r\n${JSON.stringify({ _attachments: attachments })}`), ...parts, Buffer.from('\r\n--b--')])
}

/** Megabytes of nothing, which nobody holds at once. @returns {Promise<Buffer>} */
async function gzip (megabytes) {
  const stream = zlib.createGzip({ level: 9 })
  const chunks = []
  stream.on('data', chunk => chunks.push(chunk))
  const ended = new Promise(resolve => stream.on('end', resolve))
  const zeros = Buffer.alloc(MEBIBYTE)
  for (let i = 0; i < megabytes; i++) if (!stream.write(zeros)) await new Promise(resolve => stream.once('drain', () => resolve(undefined)))
  stream.end()
  await ended
  return Buffer.concat(chunks)
}

/** A long answer for somebody who takes nothing compressed, read without being kept. */
async function countBytes (subject, target) {
  const socket = await subject.connect()
  socket.write(subject.head('GET', target, { Connection: 'close' }))
  let bytes = 0
  try {
    for await (const chunk of socket) bytes += chunk.length
  } catch (error) {
    // Content that is not as long as was said ends before its end.
    assert.equal(error.code, 'ECONNRESET')
  }
  return bytes
}
