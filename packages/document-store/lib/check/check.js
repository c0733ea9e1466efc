'use strict'

const { Keyspace } = require('../media/keyspace')
const { Layout } = require('../media/layout')
const { checkAccess } = require('./access')
const { checkAttachments } = require('./attachments')
const { checkChanges, checkDocuments } = require('./documents')
const { Damage, inOrder } = require('./damage')
const { checkForeignKeys } = require('./foreign-keys')
const { checkLocals, checkMeta } = require('./locals-and-meta')
const { checkPartitions } = require('./partitions')
const { checkPurges } = require('./purges')
const { checkRevisions } = require('./revisions')
const { Scan } = require('./scan')
const { checkVersions } = require('./versions')

/** @param {string} sentence */
function ignore (sentence) {}

/**
 * Reads a whole database, of which nobody writes meanwhile, and says what in it does not agree:
 * documents with changes, leaves with bodies, references with counts, contents with their chunks
 * and digests, totals with all of it. Takes memory for the digests of attachments, not for
 * documents. Goes on where something is damaged, and then does not compare counts.
 *
 * @param {import('abstract-level').AbstractLevel<any, any, any>} level open
 * @param {{ prefix?: string, onLeftover?: (sentence: string) => void, faults?: import('../..').Fault[] }} [options] the prefix
 *   of the database; `onLeftover` is told of what a crash left and the next opening removes, which is no problem;
 *   `faults`: what a scrub of the level has found
 * @returns {AsyncGenerator<string>} problems, each a sentence; none where all is well
 */
async function * check (level, { prefix = '', onLeftover = ignore, faults = [] } = {}) {
  const keyspace = new Keyspace(level)
  const snapshot = keyspace.snapshot()
  const layout = new Layout(prefix)
  const scan = new Scan(keyspace, layout, snapshot, onLeftover, new Damage(layout, inOrder(faults)))
  try {
    if (await isBeingDeleted(scan)) return onLeftover('The database is being deleted: opening it removes what is left of it')
    yield * scan.damage.known()
    yield * scan.damage.content(scan)
    yield * checkForeignKeys(scan)
    yield * checkDocuments(scan)
    yield * checkRevisions(scan)
    yield * checkVersions(scan)
    yield * checkChanges(scan)
    yield * checkAttachments(scan)
    yield * checkPurges(scan)
    yield * checkPartitions(scan)
    yield * checkAccess(scan)
    yield * checkLocals(scan)
    yield * checkMeta(scan)
    yield * scan.damage.gaps()
  } finally {
    await snapshot.close()
  }
}

/**
 * Tells whether the database is being deleted: see meta.js.
 *
 * @param {Pick<Scan, 'keyspace' | 'layout' | 'snapshot'>} scan
 */
async function isBeingDeleted ({ keyspace, layout, snapshot }) {
  return await keyspace.get(layout.meta('destroying'), snapshot) !== undefined
}

module.exports = { check }
