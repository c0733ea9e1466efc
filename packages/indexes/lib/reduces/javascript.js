'use strict'

/** What CouchDB's protocol has around the rows that it sends to be reduced, and around the answer. */
const REDUCE_ENVELOPE = '["reduce",[""],,""]\n'.length
const REREDUCE_ENVELOPE = '["rereduce",[""],,""]\n'.length
const ANSWER_ENVELOPE = '[]'.length

/**
 * A reduce function that runs in the query server, many groups at a time. A reduction beyond the limit
 * makes no failure but an error in the row's place, which stays whatever it is reduced with.
 *
 * @param {import('@potoroo/query-server').Functions} functions the one
 * @param {import('@potoroo/query-server').QueryServer} queryServer
 * @param {import('./reduce-limit').ReduceLimit} limit
 */
function javascriptReduce (functions, queryServer, limit) {
  const run = async (groups, rereduce) => (await queryServer.reduce(functions, groups, rereduce)).map(([value]) => value)
  const check = (value, inputSize) => {
    const reason = limit.check(value, inputSize, ANSWER_ENVELOPE)
    return reason === undefined ? value : { reduce_overflow_error: reason }
  }

  async function reduce (groups) {
    const values = await run(groups.map(rows => [rows.map(({ id, key }) => [key, id]), rows.map(({ value }) => value)]), false)
    return values.map((value, i) => check(value, () => sizeOf(groups[i].map(({ id, key, value }) => [[key, id], value])) + REDUCE_ENVELOPE))
  }

  async function rereduce (groups) {
    const results = groups.map(values => values.find(isOverflow))
    const others = groups.filter((values, i) => results[i] === undefined)
    const values = others.length === 0 ? [] : await run(others.map(values => [null, values]), true)
    let next = 0
    return results.map((overflow, i) => overflow ?? check(values[next++], () => sizeOf(groups[i]) + REREDUCE_ENVELOPE))
  }

  return { reduce, rereduce }
}

function sizeOf (value) { return Buffer.byteLength(JSON.stringify(value)) }

function isOverflow (value) { return overflowOf(value) !== undefined }

/** @returns {string | undefined} why there is no reduction */
function overflowOf (value) {
  return typeof value === 'object' && value !== null ? value.reduce_overflow_error : undefined
}

module.exports = { javascriptReduce, overflowOf }
