'use strict'

/** The features of the database, as abstract-level's `supports` lists them. */
const manifest = {
  encodings: { buffer: true, view: true, utf8: true },
  seek: true,
  has: true,
  getSync: true,
  implicitSnapshots: true,
  explicitSnapshots: true,
  createIfMissing: true,
  errorIfExists: true,
  // Nothing here waits, so there is nothing that a signal could interrupt.
  signals: { iterators: false }
}

module.exports = { manifest }
