'use strict'

const { createError } = require('@potoroo/errors')

/** @typedef {import('../passing/inner-answer').InnerAnswer} Answer */

/** A shard's refusal, which is the answer of the whole. @param {Answer} answer */
async function failureOf (answer) {
  const said = await answer.json().catch(error => error)
  // It broke off, as its owner died or the way to it.
  if (said.code === 'UNAVAILABLE') return said
  const { error = 'internal_server_error', reason = 'A shard of the database failed' } = said
  const retry = answer.headers['retry-after']
  return Object.assign(createError('INTERNAL', { status: answer.status, error, reason }), { headers: retry === undefined ? {} : { 'Retry-After': retry } })
}

/** @param {Answer} answer @returns {Promise<Answer>} the same @throws what the shard refused */
async function orFailure (answer) {
  if (answer.ok) return answer
  throw await failureOf(answer)
}

module.exports = { failureOf, orFailure }
