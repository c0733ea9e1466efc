'use strict'

const { judge } = require('./porcupine')

/**
 * Revisions of each document are a register that is changed by compare-and-set, and the order in which clients saw that is one
 * that they could have seen of a single server.
 *
 * @param {import('../clients/history').History} history
 * @param {import('./final').Final} final
 * @param {{ pictures?: string }} [options]
 * @returns {string[]} faults
 */
function checkLinearizable ({ operations }, final, options) {
  const happened = seenValues(operations, final)
  const lines = operations
    // A write of which nobody ever saw a trace, neither a client nor the document's revisions at the end, did not happen.
    .filter(({ outcome, value, database, document }) => outcome !== 'unknown' || happened.has(value) || !final.chain(database, document).whole)
    .map(({ database, rev: _, ...operation }) => ({ ...operation, document: `${database}.${operation.document}`, happened: happened.has(operation.value) }))
  return judge(lines, options).filter(({ result }) => result !== 'Ok')
    .map(({ document, result, operations, stuck }) => `${document}: ${operations} operations, ${result === 'Unknown' ? 'too many to judge' : 'not linearizable'}${(stuck ?? []).map(words => `\n    ${words}`).join('')}`)
}

function seenValues (operations, final) {
  const seen = new Set(final.values)
  for (const { kind, value, from, outcome } of operations) {
    if (kind === 'read' || outcome === 'ok') seen.add(value)
    if (from !== 0) seen.add(from)
  }
  return seen
}

/** A revision is that of one value, whoever reads it. @returns {string[]} faults */
function checkRevisions ({ operations }) {
  const values = new Map()
  const faults = []
  for (const { database, document, rev, value } of operations) {
    if (rev === undefined) continue
    const name = `${database}/${document} ${rev}`
    if (values.has(name) && values.get(name) !== value) faults.push(`${name} was ${values.get(name)} and ${value}`)
    values.set(name, value)
  }
  return faults
}

/** An acknowledged write is in its document's revisions, and one that met a conflict is not. @returns {string[]} faults */
function checkAcknowledged ({ operations }, final) {
  return operations.filter(({ kind }) => kind === 'write').flatMap(({ database, document, outcome, value, deleted, rev }) => {
    const chain = final.chain(database, document)
    const what = `${database}/${document}: ${deleted ? 'the deletion' : 'the write'} ${value}${rev === undefined ? '' : ` (${rev})`}`
    if (outcome === 'ok' && chain.whole && !chain.values.includes(value)) return [`${what} was acknowledged, and is lost`]
    if (outcome === 'ok' && !chain.whole && !chain.revs.includes(rev)) return [`${what} was acknowledged, and its revision is lost`]
    if (outcome === 'conflict' && chain.values.includes(value)) return [`${what} was refused, and is there`]
    return []
  })
}

module.exports = { checkAcknowledged, checkLinearizable, checkRevisions }
