'use strict'

const { Keyspace } = require('../keyspace')
const { Layout } = require('../layout')
const { checkAttachments } = require('./attachments')
const { checkChanges, checkDocuments } = require('./documents')
const { checkForeignKeys } = require('./foreign-keys')
const { checkLocals, checkMeta } = require('./locals-and-meta')
const { pagesOf } = require('./pages')
const { checkPartitions } = require('./partitions')
const { checkPurges } = require('./purges')
const { checkRevisions } = require('./revisions')

/** @param {string} sentence */
function ignore (sentence) {}

/**
 * Reads a whole database, of which nobody writes meanwhile, and says what in it does not agree:
 * documents with changes, leaves with bodies, references with counts, contents with their chunks
 * and digests, totals with all of it. Takes memory for the digests of attachments, not for
 * documents.
 *
 * @param {import('abstract-level').AbstractLevel<any, any, any>} level open
 * @param {{ prefix?: string, onLeftover?: (sentence: string) => void }} [options] the prefix of the
 *   database; `onLeftover` is told of what a crash left and the next opening removes, which is no problem
 * @returns {AsyncGenerator<string>} problems, each a sentence; none where all is well
 */
async function * check (level, { prefix = '', onLeftover = ignore } = {}) {
  const keyspace = new Keyspace(level)
  const snapshot = keyspace.snapshot()
  const scan = new Scan(keyspace, new Layout(prefix), snapshot, onLeftover)
  try {
    if (await isBeingDeleted(scan)) return onLeftover('The database is being deleted: opening it removes what is left of it')
    yield * checkForeignKeys(scan)
    yield * checkDocuments(scan)
    yield * checkRevisions(scan)
    yield * checkChanges(scan)
    yield * checkAttachments(scan)
    yield * checkPurges(scan)
    yield * checkPartitions(scan)
    yield * checkLocals(scan)
    yield * checkMeta(scan)
  } finally {
    await snapshot.close()
  }
}

/** See meta.js. */
async function isBeingDeleted ({ keyspace, layout, snapshot }) {
  return await keyspace.get(layout.meta('destroying'), snapshot) !== undefined
}

/** A snapshot that is read, and what was counted in it. */
class Scan {
  /** Bytes and numbers, as in totals.js. */
  found = { live: 0, deleted: 0, records: 0, external: 0, attachments: 0, revisions: 0, bodies: 0 }
  /** How often stored revisions refer to each digest. */
  references = new Map()
  /** The last sequence that has a change. */
  lastChange = 0
  /** The last purge sequence that is remembered. */
  lastPurge = 0

  constructor (keyspace, layout, snapshot, onLeftover) {
    this.keyspace = keyspace
    this.layout = layout
    this.snapshot = snapshot
    this.onLeftover = onLeftover
  }

  /** The entries of a range, by pages. */
  entries (range) {
    return pagesOf(this.keyspace.entries({ ...range, snapshot: this.snapshot }), () => this.keyspace.turn())
  }

  keys (range) {
    return pagesOf(this.keyspace.keys({ ...range, snapshot: this.snapshot }), () => this.keyspace.turn())
  }

  getMany (keys) { return this.keyspace.getMany(keys, this.snapshot) }
  getBinary (keys) { return this.keyspace.getBinary(keys, this.snapshot) }
}

module.exports = { check }
