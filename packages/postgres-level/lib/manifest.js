'use strict'

/** The features of the database, as abstract-level's `supports` lists them. */
const manifest = {
  // Strings become bytes before they come here.
  encodings: { buffer: true },
  seek: true,
  has: true,
  getSync: false,
  implicitSnapshots: true,
  explicitSnapshots: true,
  createIfMissing: true,
  errorIfExists: true,
  signals: { iterators: false }
}

module.exports = { manifest }
