'use strict'

const { open } = require('@potoroo/storage')

/** Kinds of records of a text index: see packages/search/lib/index/layout.js. @type {Record<string, string>} */
const KINDS = {
  a: 'postings of small batches',
  b: 'postings, blocks',
  q: 'positions of blocks',
  p: 'postings, last ones',
  t: 'numbers of terms',
  v: 'names of terms',
  f: 'terms of documents',
  d: 'documents',
  i: 'ids',
  n: 'numbers',
  s: 'statistics'
}

/**
 * Bytes of each kind of the records of the only text index of a server's folder, keys and values.
 *
 * @param {string} folder
 * @returns {Promise<Record<string, number>>}
 */
async function sizesOf (folder) {
  const { level } = await open({ path: folder, readOnly: true, allowVolatile: true })
  /** @type {Record<string, number>} */
  const sizes = {}
  try {
    for await (const [key, value] of level.iterator({ keyEncoding: 'utf8', valueEncoding: 'buffer' })) {
      const found = /^(.*?)t[a-z]\d+([abdfinpqstv])/.exec(key)
      if (found === null || KINDS[found[2]] === undefined) continue
      sizes[KINDS[found[2]]] = (sizes[KINDS[found[2]]] ?? 0) + Buffer.byteLength(key) + value.length
    }
  } finally {
    await level.close()
  }
  return sizes
}

module.exports = { sizesOf }
