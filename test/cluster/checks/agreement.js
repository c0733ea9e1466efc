'use strict'

const { isDeepStrictEqual } = require('node:util')

/** Reads all that a server says of a database. @param {import('../clients/connection').Connection} connection */
async function stateOf (connection, database) {
  const { results, last_seq: last } = await connection.done('GET', `/${database}/_changes?style=all_docs&include_docs=true&conflicts=true`)
  const { rows, total_rows: total } = await connection.done('GET', `/${database}/_all_docs?include_docs=true&conflicts=true`)
  const info = await connection.done('GET', `/${database}`)
  return { changes: results, last, docs: rows, total, counted: { doc_count: info.doc_count, doc_del_count: info.doc_del_count, update_seq: info.update_seq } }
}

/**
 * All servers say the same: documents, winners, conflicts, sequences; and each agrees with itself.
 *
 * @param {Map<string, Awaited<ReturnType<typeof stateOf>>>} states by the name of the server
 * @returns {string[]} faults
 */
function checkAgreement (database, states) {
  const [[first, expected], ...others] = states
  return [
    ...checkCounts(database, expected).map(fault => `${first}: ${fault}`),
    ...others.flatMap(([name, state]) => Object.keys(expected).filter(key => !isDeepStrictEqual(state[key], expected[key]))
      .map(key => `${database}: ${name} and ${first} differ in ${key}: ${difference(state[key], expected[key])}`))
  ]
}

function checkCounts (database, { changes, docs, total, counted }) {
  const live = changes.filter(({ deleted }) => deleted !== true)
  const faults = []
  if (live.length !== docs.length || total !== docs.length) faults.push(`${database} has ${docs.length} documents, counts ${total}, and _changes has ${live.length}`)
  if (counted.doc_count !== docs.length || counted.doc_del_count !== changes.length - live.length) faults.push(`${database} counts ${JSON.stringify(counted)} where there are ${docs.length} and ${changes.length - live.length}`)
  const winners = new Map(docs.map(({ id, value }) => [id, value.rev]))
  for (const { id, changes: [{ rev }] } of live) if (winners.get(id) !== rev) faults.push(`${database}/${id}: _changes has ${rev}, _all_docs ${winners.get(id)}`)
  return faults
}

function difference (actual, expected) {
  if (!Array.isArray(actual)) return `${JSON.stringify(actual)}, ${JSON.stringify(expected)}`
  const at = actual.findIndex((row, i) => !isDeepStrictEqual(row, expected[i]))
  return `${JSON.stringify(actual[at])}, ${JSON.stringify(expected[at === -1 ? actual.length : at])}`
}

/**
 * PouchDBs have the winners and conflicts that the servers have.
 *
 * @param {Array<{ name: string, leaves: Map<string, { winner: string, conflicts: string[] }> }>} pouches
 * @param {Awaited<ReturnType<typeof stateOf>>} state
 * @returns {string[]} faults
 */
function checkPouches (pouches, state) {
  const expected = new Map(state.docs.map(({ id, doc }) => [id, { winner: doc._rev, conflicts: (doc._conflicts ?? []).sort() }]))
  return pouches.flatMap(({ name, leaves }) => [...new Set([...leaves.keys(), ...expected.keys()])]
    .filter(id => !isDeepStrictEqual(leaves.get(id), expected.get(id)))
    .map(id => `${name} has ${JSON.stringify(leaves.get(id))} of ${id}, the servers ${JSON.stringify(expected.get(id))}`))
}

module.exports = { checkAgreement, checkPouches, stateOf }
