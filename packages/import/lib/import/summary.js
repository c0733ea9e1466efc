'use strict'

/** Counts what an import did. */
class Summary {
  /** Documents of which something was written. */
  documents = 0
  /** Leaf revisions written. */
  revisions = 0
  /** Attachments of these revisions. */
  attachments = 0
  /** Bytes of attachments' content that were read; content that the target has already is not. */
  bytes = 0
  /** Local documents written. */
  locals = 0
  /** Leaf revisions that were there already. */
  present = 0
  /** Replication checkpoints that would be wrong here, see local-documents.js. */
  checkpointsLeftOut = 0
  /** Whether each document has its sequence, or a later one. */
  sequencesKept = false
  /** Whether strangers may read and write the database. @type {boolean | undefined} unknown where its security was brought over before */
  isPublic
  /** Things that did not come over. @type {import('./source').Failure[]} */
  skipped = []
}

module.exports = { Summary }
