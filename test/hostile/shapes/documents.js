'use strict'

const assert = require('node:assert/strict')

const BATCH = 2000

/** @type {import('../support/run-shape').Shape} */
module.exports = {
  name: 'documents',
  what: 'a database of very many documents is filled, listed, followed, indexed, searched and counted by several at once',
  sizes: { short: { count: 20_000, writers: 2 }, long: { count: 1_000_000, writers: 2 } },
  bounds: { stall: 400, peak: 500, left: 250 },

  async attack (subject, { count, writers }) {
    await subject.done('PUT', '/n')
    let next = 0
    await Promise.all(Array.from({ length: writers }, async () => {
      while (next < count) {
        const first = next
        next += BATCH
        await subject.done('POST', '/n/_bulk_docs', { docs: Array.from({ length: BATCH }, (_, i) => ({ _id: `d${String(first + i).padStart(8, '0')}`, n: first + i })) })
      }
    }))
    assert.equal((await subject.done('GET', '/n')).body.doc_count, count)
    await subject.done('PUT', '/n/_design/d', { views: { v: { map: 'function (doc) { emit(doc.n % 100, 1) }', reduce: '_sum' } } })
    const [, , reduced, found] = await Promise.all([
      countLines(subject, '/n/_all_docs', count + 1),
      countLines(subject, '/n/_changes?include_docs=true', count + 1),
      subject.done('GET', '/n/_design/d/_view/v?group=true'),
      subject.done('POST', '/n/_find', { selector: { n: count - 1 }, limit: 1 })
    ])
    assert.equal(reduced.body.rows.reduce((sum, { value }) => sum + value, 0), count)
    assert.equal(found.body.docs.length, 1)
    assert.equal((await subject.done('GET', `/n/_all_docs?skip=${count - 10}&limit=5`)).body.rows.length, 5)
    return { documents: count }
  }
}

/** A long answer, read without being kept. */
async function countLines (subject, target, lines) {
  const socket = await subject.connect()
  socket.write(subject.head('GET', target, { Connection: 'close' }))
  let found = 0
  for await (const chunk of socket) for (let at = chunk.indexOf('"id":"'); at !== -1; at = chunk.indexOf('"id":"', at + 1)) found++
  subject.count(200)
  // One may be cut in two by the end of a chunk; none comes twice.
  assert.ok(found <= lines && found > 0.98 * lines, `${target}: ${found} of ${lines}`)
}
