'use strict'

const TYPE = 'application/octet-stream'
const BYTES = 50_000

/** @returns {Buffer} of 50,000 bytes; each number's is another */
function makeContent (number) {
  const content = Buffer.alloc(BYTES)
  let state = number + 1
  for (let at = 0; at < BYTES; at++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    content[at] = state >>> 24
  }
  return content
}

/** A case of PouchDB's: `get` of a document with 100 attachments, and these. */
function manyAttachments (name, options) {
  return {
    name,
    unit: 'get',
    counts: true,
    size: 100,
    step: 1,
    async prepare (db, { size }) {
      const attachments = Array.from({ length: size }, (_, number) =>
        [`att-${number}`, { content_type: TYPE, data: makeContent(number) }])
      await db.put({ _id: 'doc1', _attachments: Object.fromEntries(attachments) })
      return { db, size }
    },
    async run ({ db, size }) {
      const { _attachments: attachments } = await db.get('doc1', { attachments: true, ...options })
      const { data } = attachments[`att-${size - 1}`]
      const length = typeof data === 'string' ? data.length * 3 / 4 : data.length
      if (Math.abs(length - BYTES) > 2) throw new Error(`${length} bytes and not ${BYTES}`)
    }
  }
}

module.exports = { manyAttachments, makeContent, TYPE, BYTES }
