'use strict'

/**
 * Asks for `GET /_backup`: everything of a server at one moment.
 *
 * @param {import('./connection').Connection} connection
 * @param {AbortSignal} signal
 * @returns {Promise<import('node:http').IncomingMessage>}
 * @throws in words, where there is none
 */
async function openBackup (connection, signal) {
  const response = await connection.open('GET', '/_backup', undefined, signal)
  if (response.statusCode === 200) return response
  const chunks = []
  for await (const chunk of response) chunks.push(chunk)
  if (response.statusCode === 404) throw new Error('this server gives no backup of itself: it is no Potoroo, or an older one')
  throw connection.refused({ status: /** @type {number} */ (response.statusCode), body: parse(Buffer.concat(chunks)) })
}

/** @param {Buffer} bytes */
function parse (bytes) {
  try {
    return JSON.parse(bytes.toString())
  } catch {
    return {}
  }
}

module.exports = { openBackup }
