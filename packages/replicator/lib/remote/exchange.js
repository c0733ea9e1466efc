'use strict'

/** Codes of undici, and what the system calls the same. */
const CODES = new Map([
  ['UND_ERR_CONNECT_TIMEOUT', 'ETIMEDOUT'], ['UND_ERR_HEADERS_TIMEOUT', 'ETIMEDOUT'], ['UND_ERR_BODY_TIMEOUT', 'ETIMEDOUT'],
  ['UND_ERR_SOCKET', 'ECONNRESET'], ['UND_ERR_HEADERS_OVERFLOW', 'HPE_HEADER_OVERFLOW']
])

/** @typedef {import('undici').Dispatcher.ResponseData} Answer */

/**
 * One request and the head of its answer, whose body is read as it comes.
 *
 * @param {import('undici').Agent} agent
 * @param {object} options
 * @param {string} options.origin which is connected to
 * @param {string} options.path what is asked for: a whole URL, of a proxy
 * @param {string} options.method
 * @param {Record<string, string | number>} options.headers
 * @param {Buffer | string | AsyncIterable<Uint8Array>} [options.body]
 * @param {AbortSignal} [options.signal]
 * @returns {Promise<Answer>}
 */
async function exchange (agent, { headers, ...options }) {
  // A name that comes again replaces the one before.
  const named = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  try {
    const answer = await agent.request(/** @type {any} */ ({ ...options, headers: named }))
    // It may break off when nobody reads.
    answer.body.on('error', rename)
    return answer
  } catch (error) {
    throw rename(error)
  }
}

/** @param {any} error */
function rename (error) {
  if (CODES.has(error.code)) error.code = CODES.get(error.code)
  if (error.code === 'ETIMEDOUT') error.message = 'req_timedout'
  return error
}

/** The body is longer than whoever asked takes. */
class TooLong extends Error {
  /** The answer itself was a good one. */
  answered = 200

  /** @param {number} limit bytes */
  constructor (limit) {
    super(`The answer is longer than ${limit} bytes`)
  }
}

/**
 * The whole body, of at most `limit` bytes.
 *
 * @param {AsyncIterable<Buffer>} body
 * @param {number} limit
 * @returns {Promise<Buffer>}
 * @throws {TooLong}
 */
async function readWhole (body, limit) {
  const chunks = []
  let length = 0
  // Ending the loop early destroys the body, and its connection with it.
  for await (const chunk of body) {
    length += chunk.length
    if (length > limit) throw new TooLong(limit)
    chunks.push(chunk)
  }
  return chunks.length === 1 ? chunks[0] : Buffer.concat(chunks, length)
}

module.exports = { exchange, readWhole, TooLong }
