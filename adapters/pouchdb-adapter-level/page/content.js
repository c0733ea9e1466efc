'use strict'

/** Content of attachments in the forms that pages have for it. */

/** @param {Uint8Array} data @param {{ contentType: string }} info */
function typedContent (data, { contentType }) { return new Blob([data], { type: contentType }) }

/** @param {AsyncIterable<Uint8Array>} parts @param {{ type: string, length: number, digest: string }} info */
function toStream (parts, info) {
  const iterator = parts[Symbol.asyncIterator]()
  const stream = new ReadableStream({
    async pull (controller) {
      const { done, value } = await iterator.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    async cancel () { await iterator.return?.() }
  })
  return Object.assign(stream, info)
}

module.exports = { toStream, typedContent }
