'use strict'

const { Readable } = require('node:stream')

/** Content of attachments in the forms that Node.js has for it; pages have others. */

/**
 * The content as PouchDB hands it out in Node.js: a Buffer that knows its content type.
 *
 * @param {Buffer} data
 * @param {{ contentType: string }} info
 * @returns {Buffer & { type: string }}
 */
function typedContent (data, info) {
  const buffer = /** @type {Buffer & { type: string }} */ (data)
  buffer.type = info.contentType
  return buffer
}

/**
 * @param {AsyncIterable<Buffer>} parts
 * @param {{ type: string, length: number, digest: string }} info
 */
function toStream (parts, info) {
  return Object.assign(Readable.from(parts, { objectMode: false }), info)
}

module.exports = { toStream, typedContent }
