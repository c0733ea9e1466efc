'use strict'

/**
 * @typedef {'missing_checked' | 'missing_found' | 'docs_read' | 'docs_written' | 'doc_write_failures' | 'bulk_get_docs' | 'bulk_get_attempts'} Counter
 */

/** @type {Counter[]} */
const COUNTERS = ['missing_checked', 'missing_found', 'docs_read', 'docs_written', 'doc_write_failures', 'bulk_get_docs', 'bulk_get_attempts']

/** Counts what a replication has done: the counters that checkpoints keep. */
class Statistics {
  missing_checked = 0
  missing_found = 0
  docs_read = 0
  docs_written = 0
  doc_write_failures = 0
  bulk_get_docs = 0
  bulk_get_attempts = 0

  /**
   * Goes on from a checkpoint or from an earlier run, whichever is further.
   *
   * @param {any} earlier
   */
  startFrom (earlier) {
    for (const name of COUNTERS) {
      const count = earlier?.[name]
      if (Number.isSafeInteger(count) && count > this[name]) this[name] = count
    }
  }

  /**
   * As a checkpoint's history has them.
   *
   * @returns {Record<Counter, number>}
   */
  toHistory () {
    return /** @type {Record<Counter, number>} */ (Object.fromEntries(COUNTERS.map(name => [name, this[name]])))
  }
}

module.exports = { Statistics }
