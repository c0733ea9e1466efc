'use strict'

const PouchDB = require('pouchdb-core')

require('./plugins')

const suites = ['documents', 'odd-documents', 'bulk', 'reading', 'attachments', 'streamed-attachments', 'changes', 'revisions', 'instances', 'purge', 'transactions', 'history', 'json-query', 'search', 'live-find', 'plugins', 'replaced-methods', 'saved-views']

/**
 * @typedef {object} Context
 * @property {any} db a PouchDB instance on a new database for each test
 * @property {string} name of that database
 * @property {(name: string, options?: Record<string, any>) => any} open another instance
 * @property {() => string} newName gives the name of a database that does not exist yet
 */

/**
 * Tests everything that an application may expect of a PouchDB adapter on a document store.
 *
 * @param {object} definition
 * @param {string} definition.adapter its name
 * @param {(PouchDB: any) => void} definition.plugin
 * @param {() => string} definition.name gives the name of a database that does not exist yet
 * @param {() => Record<string, any>} [definition.options] for every instance; where there are
 *   any, the store and its options are somebody else's
 */
function testAdapter ({ adapter, plugin, name: newName, options: given }) {
  PouchDB.plugin(plugin)
  const open = (name, options) => new PouchDB(name, { adapter, ...given?.(), ...options })
  const context = /** @type {any} */ ({ open, newName })

  describe(`pouchdb-adapter-${adapter}`, () => {
    beforeEach(() => {
      context.name = newName()
      context.db = open(context.name)
    })
    afterEach(() => context.db._destroyed || context.db._closed || context.db.destroy())

    for (const suite of suites) require(`./suites/${suite}`)(context)
    if (given === undefined) require('./suites/options')(context)
  })
}

module.exports = { testAdapter }
