'use strict'

const { nonsense, parsed } = require('./function-result')

/** Bytes of a question: what a call finds by is not longer. */
const LONGEST = 1024 * 1024

const NEWLINE = 10
const FAILED = 33

/**
 * Answers what a function asks for while it is called (see prelude-call.js). A refusal is the function's to catch.
 *
 * @param {Buffer} bytes
 * @param {(question: ['get', string] | ['find', any]) => Promise<string>} answer
 */
async function answerQuestion (bytes, answer) {
  if (bytes.length > LONGEST) return `!${JSON.stringify({ error: 'too_large', reason: 'The question is too long', status: 413 })}`
  const question = parsed(bytes.toString())
  if (!Array.isArray(question)) throw nonsense()
  try {
    return `=${await answer(/** @type {any} */ (question))}`
  } catch (error) {
    if (!(error.status < 500)) throw error
    return `!${JSON.stringify({ error: error.error, reason: error.reason, status: error.status })}`
  }
}

/**
 * @param {Buffer} content
 * @returns {{ result: string, writes: string } | { thrown: string }} see QueryServer's `call`
 */
function readOutcome (content) {
  if (content[0] === FAILED) return { thrown: content.toString('utf8', 1) }
  const end = content.indexOf(NEWLINE)
  if (end === -1) throw nonsense()
  return { result: content.toString('utf8', 0, end), writes: content.toString('utf8', end + 1) }
}

module.exports = { answerQuestion, readOutcome }
