'use strict'

const { createHash } = require('node:crypto')

/**
 * All that is in a pool, so that two can be compared: of each map its entries in order, long values
 * by their digest.
 *
 * @returns {Record<string, string[][]>}
 */
function contentsOf (pool) {
  return Object.fromEntries(pool.maps().map(name => {
    const iterator = pool.map(name).iterator({ keyEncoding: 'buffer', valueEncoding: 'buffer' })
    const entries = []
    for (let page; (page = iterator.nextv(1000)).length > 0;) {
      for (let i = 0; i < page.length; i += 2) entries.push([page[i].toString('hex'), brief(page[i + 1])])
    }
    iterator.close()
    return [name, entries]
  }))
}

function brief (bytes) {
  if (bytes.length < 100) return bytes.toString('hex')
  return `${bytes.length}:${createHash('sha256').update(bytes).digest('hex')}`
}

/** Bytes that differ from place to place. */
function someBytes (size, seed = 1) {
  const bytes = Buffer.allocUnsafe(size)
  for (let i = 0, state = seed; i < size; i++) {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0
    bytes[i] = state >>> 16
  }
  return bytes
}

/** Maps with entries of all sizes that the engine treats differently. */
function fill (pool) {
  const sizes = pool.map('sizes')
  for (const size of [0, 1, 64, 65, 200, 16 * 1024, 16 * 1024 + 1, 256 * 1024, 256 * 1024 + 1, 3 * 2 ** 20, 3 * 2 ** 20 + 1, 40 * 2 ** 20]) {
    sizes.put(`value of ${size}`, someBytes(size, size + 1))
  }
  for (const size of [0, 1, 200, 201, 32 * 1024]) sizes.put(someBytes(size, 7), `key of ${size}`)
  pool.map('empty')
  const many = pool.map('many')
  many.batch(Array.from({ length: 20_000 }, (_, i) => ['put', `key ${i}`, `value ${i} `.repeat(i % 20)]).flat())
  for (const name of ['ü', 'a/b', 'line\nbreak', 'back\\slash', '0'.repeat(255)]) pool.map(name).put('name', name)
}

async function gather (stream) {
  const chunks = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks)
}

module.exports = { contentsOf, fill, gather, someBytes }
