'use strict'

const { DocumentStore } = require('@potoroo/document-store')

const suites = [
  require('./suites/writing'),
  require('./suites/all-or-nothing'),
  require('./suites/transactions'),
  require('./suites/validation'),
  require('./suites/odd-documents'),
  require('./suites/reading'),
  require('./suites/replicated-revisions'),
  require('./suites/all-docs'),
  require('./suites/changes'),
  require('./suites/follow'),
  require('./suites/local-documents'),
  require('./suites/attachments'),
  require('./suites/streamed-attachments'),
  require('./suites/attachment-references'),
  require('./suites/attachment-sources'),
  require('./suites/compressed-attachments'),
  require('./suites/long-attachments'),
  require('./suites/compaction'),
  require('./suites/history'),
  require('./suites/purge'),
  require('./suites/indexes'),
  require('./suites/durability'),
  require('./suites/layout-versions'),
  require('./suites/closing'),
  require('./suites/databases')
]

/**
 * Tests that every document store passes, whatever the level under it.
 *
 * @param {string} name of the storage
 * @param {() => Promise<{ level: import('abstract-level').AbstractLevel<any, any, any>,
 *   reopen?: () => Promise<import('abstract-level').AbstractLevel<any, any, any>>,
 *   remove: () => Promise<void> }>} openLevel a new, empty level. `reopen` closes it and opens it
 *   again, where it lasts; `remove` closes and deletes it
 */
module.exports = function conformance (name, openLevel) {
  describe(`document store on ${name}`, function () {
    this.timeout(600_000)

    /** The suites use this: a fresh store in `context.store` before each test. */
    const context = {
      level: null,
      store: null,
      async openStore (options) {
        context.store = await DocumentStore.open(context.level, options)
        return context.store
      }
    }
    let storage

    beforeEach(async () => {
      storage = await openLevel()
      context.level = storage.level
      context.reopen = storage.reopen && (async () => { context.level = await storage.reopen() })
      await context.openStore()
    })

    afterEach(async () => {
      await context.store.close()
      await storage.remove()
    })

    for (const suite of suites) suite(context)
  })
}
