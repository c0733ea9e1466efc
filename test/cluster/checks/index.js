'use strict'

const { Connection } = require('../clients/connection')
const { checkAgreement, checkPouches, stateOf } = require('./agreement')
const feeds = require('./feeds')
const { Final } = require('./final')
const { whyMissing } = require('./porcupine')
const registers = require('./registers')

/**
 * All checks, each with the faults that it found.
 *
 * @param {{ history: import('../clients/history').History, feeds: Array<{ name: string, database: string }>, late?: string[],
 *   pouches: Array<{ name: string, made: string[], leaves: Map<string, any> }>, databases: string[], synced: string, urls: URL[], pictures?: string }} options
 * @returns {Promise<Record<string, string[]>>}
 */
async function checkAll ({ history, feeds: listeners, late = [], pouches, databases, synced, urls, pictures }) {
  const connections = urls.map(url => new Connection(url))
  try {
    const all = [...databases, synced]
    const states = new Map()
    for (const database of all) states.set(database, await statesOf(connections, urls, database))
    const final = await Final.read(connections[0], databases)
    const changes = new Map(all.map(database => [database, [...states.get(database).values()][0].changes]))
    return {
      linearizable: whyMissing() !== null ? [] : registers.checkLinearizable(history, final, { pictures }),
      revisions: registers.checkRevisions(history),
      acknowledged: registers.checkAcknowledged(history, final),
      branched: final.branched,
      order: feeds.checkOrder(history),
      sequences: feeds.checkSequences(history),
      whole: [...late, ...feeds.checkWhole(history, listeners, changes)],
      readings: feeds.checkReadings(history),
      realTime: feeds.checkRealTime(history, changes),
      agreement: all.flatMap(database => checkAgreement(database, states.get(database))),
      pouches: checkPouches(pouches, [...states.get(synced).values()][0]),
      answers: history.odd
    }
  } finally {
    for (const connection of connections) connection.close()
  }
}

async function statesOf (connections, urls, database) {
  const states = new Map()
  for (const [i, connection] of connections.entries()) states.set(`server at ${urls[i].port}`, await stateOf(connection, database))
  return states
}

module.exports = { checkAll }
