'use strict'

const { FindAnswer } = require('./find-result')
const { Finder } = require('./finder')

/**
 * Answers a find in the way that was chosen. Nothing is read before its documents are asked for.
 *
 * @param {import('../indexes/partition-scope').FindDatabase} database
 * @param {import('../plan/candidates').Asked} request
 * @param {import('../plan/candidates').Candidate} candidate
 * @param {{ isWanted?: () => boolean } & import('./find-result').AnswerOptions} options isWanted: whether somebody still waits
 */
function answerFind (database, request, candidate, { isWanted, ...options }) {
  const { node } = request
  const isNothing = (node.op === '$and' || node.op === '$or') && node.parts.length === 0
  const chosen = isNothing ? { ...candidate, scans: [] } : candidate
  return new FindAnswer(request, chosen, new Finder(database, chosen, request, isWanted), options)
}

module.exports = { answerFind }
