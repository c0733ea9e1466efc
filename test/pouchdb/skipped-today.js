'use strict'

/**
 * Cases of PouchDB's tests of today that cannot pass here, each with its reason. Form as in
 * skipped.js.
 *
 * @type {Array<{ suite: string | RegExp, title?: string, adapters?: string[], reason: string }>}
 */
const skipped = []

/** Files that cannot even be loaded. */
const skippedFiles = new Map()

module.exports = { skipped, skippedFiles }
