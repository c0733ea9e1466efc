'use strict'

const { createError } = require('@potoroo/errors')

/** @typedef {import('../passing/inner-answer').InnerAnswer} Answer */

/** A shard's refusal, which is the answer of the whole. @param {Answer} answer */
async function failureOf (answer) {
  const told = await answer.json().catch(() => null)
  if (told === null && answer.status === 503) return createError('UNAVAILABLE', { reason: 'The server that has the database, or a part of it, broke off' })
  const retry = answer.headers['retry-after']
  return Object.assign(createError('PEER_FAILED', { status: answer.status, error: told?.error, reason: told?.reason ?? 'A shard of the database failed' }), { headers: retry === undefined ? {} : { 'Retry-After': retry } })
}

/** @param {Answer} answer @returns {Promise<Answer>} the same @throws what the shard refused */
async function orFailure (answer) {
  if (answer.ok) return answer
  throw await failureOf(answer)
}

module.exports = { failureOf, orFailure }
