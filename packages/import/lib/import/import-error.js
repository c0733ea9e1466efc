'use strict'

/**
 * Errors that end an import, or skip a revision: code → words.
 * @type {Record<string, (details: any) => string>}
 */
const messages = {
  SOURCE_NOT_FOUND: ({ source }) => `${source} does not exist`,
  SOURCE_FORMAT: ({ source, why }) => `${source} cannot be imported: ${why}`,
  SOURCE_LOCKED: ({ source }) => `${source} is in use by another process; end the PouchDB that has it open`,
  SOURCE_UNREADABLE: ({ source, why }) => `${source} cannot be opened: ${why}`,
  SOURCE_UNREACHABLE: ({ source, why }) => `${source} does not answer: ${why}`,
  SOURCE_REFUSED: ({ source, why }) => `${source} answers: ${why}`,
  NOT_COUCHDB: ({ source }) => `${source} does not speak CouchDB's protocol`,
  UNAUTHORIZED: ({ source, why }) => `${source} does not let us in: ${why}; put an administrator's name and password into the URL (http://name:password@…)`,
  EXPORT_DAMAGED: ({ source, why }) => `${source} ${why}`,
  DAMAGED: ({ why }) => why
}

/** An error with a stable `code`: a key of `messages`. */
class ImportError extends Error {
  /**
   * @param {string} code
   * @param {{ source?: string, why?: string, status?: number, cause?: unknown }} [details]
   */
  constructor (code, details = {}) {
    super(messages[code](details), details.cause === undefined ? undefined : { cause: details.cause })
    this.code = code
    if (details.status !== undefined) this.status = details.status
  }

  get name () { return 'ImportError' }
}

module.exports = { ImportError, messages }
