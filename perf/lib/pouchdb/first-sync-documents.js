'use strict'

/**
 * Documents of some 250 bytes, of which every hundredth has an attachment of 1 KB.
 *
 * @param {number} from number of the first one
 * @param {number} to behind the last one
 */
function documents (from, to) {
  const attachment = { content_type: 'application/octet-stream', data: Buffer.alloc(1000, 7).toString('base64') }
  return Array.from({ length: to - from }, (_, i) => ({
    _id: `document-${String(from + i).padStart(8, '0')}`,
    n: from + i,
    text: 'some words that say little '.repeat(6),
    ...(from + i) % 100 === 0 && { _attachments: { file: attachment } }
  }))
}

module.exports = { documents }
