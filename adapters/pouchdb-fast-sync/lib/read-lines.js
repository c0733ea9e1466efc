'use strict'

const { BadStream } = require('./bad-stream')

/** Characters of a line: a change with all its revisions. */
const LONGEST = 32 * 1024 * 1024

/**
 * @param {any} body of a response: a stream of the web's, or of Node.js's
 * @param {number} timeout milliseconds that the body may be silent while a line is waited for
 * @returns {AsyncGenerator<string>}
 * @throws {BadStream} if it stalls, or if a line is too long
 */
async function * readLines (body, timeout) {
  const read = readerOf(body)
  const decoder = new TextDecoder()
  // The line that has begun: a long one comes in many parts.
  let begun = /** @type {string[]} */ ([])
  let length = 0
  for (;;) {
    const { value, done } = await within(read(), timeout)
    if (done) return
    const [first, ...others] = decoder.decode(value, { stream: true }).split('\n')
    begun.push(first)
    length += first.length
    if (length > LONGEST) throw new BadStream('A line is too long')
    for (const part of others) {
      yield begun.join('')
      begun = [part]
      length = part.length
    }
  }
}

/** Not all browsers iterate over streams. @param {any} body @returns {() => Promise<{ value?: any, done?: boolean }>} */
function readerOf (body) {
  const from = typeof body.getReader === 'function' ? { reader: body.getReader() } : { iterator: body[Symbol.asyncIterator]() }
  return () => from.reader?.read() ?? from.iterator.next()
}

/**
 * @template T
 * @param {Promise<T>} promise
 * @param {number} timeout milliseconds
 * @returns {Promise<T>}
 * @throws {BadStream} if it takes longer
 */
async function within (promise, timeout) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer
  const late = new Promise((_resolve, reject) => {
    timer = setTimeout(() => reject(new BadStream('The server is silent')), timeout)
  })
  try {
    return /** @type {T} */ (await Promise.race([promise, late]))
  } finally {
    clearTimeout(timer)
  }
}

module.exports = { readLines, within }
