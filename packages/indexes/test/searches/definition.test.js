'use strict'

const assert = require('node:assert/strict')
const { functionEncoder } = require('@potoroo/search')
const { makeEncoder } = require(functionEncoder)
const { textDefinition } = require('../../lib/searches/definition')

const COUNT = 600

/** A thread of a query server, of which parts may be lost: `doc.text` is what an index function gives. */
class LossyThread {
  /** Parts that are taken until one is lost. */
  left = Infinity

  async mapInParts (functions, docs, { encoder: { module, options }, take }) {
    assert.equal(module, functionEncoder)
    const encoder = makeEncoder(options)
    const parts = []
    for (const doc of docs) {
      encoder.add([[[['text', JSON.parse(doc).text], null]]])
      encoder.end(part => parts.push(part))
      parts.push(encoder.rest())
    }
    for (const part of parts) {
      if (this.left-- <= 0) throw new Error('the thread has ended')
      if (part.documents > 0) await take(structuredClone(part))
    }
  }
}

describe('terms of index functions', () => {
  const documents = Array.from({ length: COUNT }, (_, i) => ({ id: `d${i}`, rev: '1-a', body: JSON.stringify({ text: `w${i} fox` }) }))
  const database = /** @type {any} */ ({ name: 'db', instanceId: 'one', partitioned: false })
  const ddoc = { _id: '_design/d', indexes: { i: { index: 'function (doc) { index("text", doc.text) }' } } }

  it('have their names in the batch that comes after one that failed', async () => {
    const thread = new LossyThread()
    const { definition: { mapInParts } } = textDefinition(database, ddoc, 'search', 'i', /** @type {any} */ (thread))
    const words = []
    const put = async runs => { for (const { rows: [{ built: { terms } }] } of runs) words.push(...Array.from(terms.tokens, token => terms.names[token])) }
    const map = () => mapInParts(/** @type {any} */ (documents), put, { background: false })
    thread.left = 100
    await assert.rejects(map(), /the thread has ended/)
    assert.equal(words.length, 200)
    thread.left = Infinity
    for (let round = 0; round < 2; round++) {
      words.length = 0
      await map()
      assert.deepEqual(words, documents.flatMap((_, i) => [`w${i}`, 'fox']))
    }
  })
})
