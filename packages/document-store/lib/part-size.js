'use strict'

/** Bytes and UTF-16 units of documents that may be in memory for one reader. */
const TARGET = 2 * 1024 * 1024

const FIRST = 16
const MOST = 256

/** How many documents a reader takes at a time: fewer where they are large. */
class PartSize {
  rows = FIRST

  /**
   * Learns from the documents that were read last.
   *
   * @param {Array<{ record: string | null }>} rows
   * @param {Array<{ document?: import('..').Document }>} changes
   */
  learn (rows, changes) {
    if (rows.length === 0) return
    let weight = 0
    for (const { record } of rows) weight += record?.length ?? 0
    for (const { document } of changes) {
      for (const { data } of Object.values(document?.attachments ?? {})) weight += data?.length ?? 0
    }
    this.rows = Math.max(1, Math.min(MOST, Math.floor(TARGET * rows.length / Math.max(1, weight))))
  }
}

module.exports = { PartSize }
