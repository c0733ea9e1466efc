'use strict'

const assert = require('node:assert/strict')

/** Uploads under way at once. */
const AT_ONCE = 50

const content = Buffer.alloc(300_000, 'x')

/** How they begin: path, headers, what is sent of a longer body. */
const kinds = [
  ['PUT', n => `/u/a${n}/file`, { 'Content-Type': 'text/plain', 'Content-Length': 10_000_000 }, content],
  ['PUT', n => `/u/b${n}/file`, { 'Content-Type': 'text/plain', 'Transfer-Encoding': 'chunked' }, Buffer.concat([Buffer.from('493e0\r\n'), content, Buffer.from('\r\n')])],
  ['PUT', n => `/u/c${n}`, { 'Content-Type': 'multipart/related; boundary=b', 'Content-Length': 10_000_000 },
    Buffer.concat([Buffer.from('--b\r\nContent-Type: application/json\r\n\r\n{"_attachments":{"a":{"follows":true,"length":9000000}}}\r\n--b\r\n\r\n'), content])],
  ['POST', () => '/u/_bulk_docs', { 'Content-Type': 'application/json', 'Content-Length': 10_000_000 }, Buffer.concat([Buffer.from('{"docs":[{"_id":"x","a":"'), content])],
  ['PUT', n => `/u/e${n}`, { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip', 'Content-Length': 10_000_000 }, Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3])]
]

/** @type {import('../support/run-shape').Shape} */
module.exports = {
  name: 'aborted-uploads',
  what: 'thousands of uploads that break off leave nothing behind: no document, no content, no descriptor',
  sizes: { short: { uploads: 500 }, long: { uploads: 20_000 } },
  bounds: { stall: 500, peak: 300, left: 60 },

  async prepare (subject) {
    await subject.done('PUT', '/u')
    // A first upload makes some things for good.
    await Promise.all(Array.from({ length: AT_ONCE }, (_, n) => abort(subject, n)))
    await subject.done('PUT', '/u/whole/file', content, { 'content-type': 'text/plain' })
  },

  async attack (subject, { uploads }) {
    const { body: before } = await subject.done('GET', '/u')
    const { descriptors } = await subject.call('figures')
    let next = AT_ONCE
    await Promise.all(Array.from({ length: AT_ONCE }, async () => { while (next < uploads) await abort(subject, next++) }))
    const after = await settled(subject)
    assert.deepEqual([after.doc_count, after.sizes.external, after.update_seq], [before.doc_count, before.sizes.external, before.update_seq])
    return { uploads, descriptors: await subject.fewDescriptors(descriptors + 5) - descriptors, 'bytes of the database': after.sizes.file }
  }
}

/** Hangs up at a moment that is another for each. */
async function abort (subject, n) {
  const [method, path, headers, sent] = kinds[n % kinds.length]
  const socket = await subject.connect()
  socket.write(subject.head(String(method), /** @type {(n: number) => string} */ (path)(n), headers))
  const part = /** @type {Buffer} */ (sent).subarray(0, (n * 7919) % sent.length)
  if (n % 3 === 0) socket.write(part)
  else await new Promise(resolve => socket.write(part, resolve))
  // The server may have answered that it is wrong, and `once` of node:events would be told of a reset.
  const closed = socket.closed || new Promise(resolve => socket.once('close', resolve))
  if (n % 2 === 0) socket.resetAndDestroy()
  else socket.destroy()
  await closed
}

/** Waits for what is under way: it is over when the server has answered the last who came. */
async function settled (subject) {
  for (let i = 0; i < 20; i++) await subject.done('PUT', '/u/_local/settled', { _rev: i === 0 ? undefined : `0-${i}` })
  return (await subject.done('GET', '/u')).body
}
