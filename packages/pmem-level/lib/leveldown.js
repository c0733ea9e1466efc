'use strict'

/** For those who come from LevelDOWN, with callbacks: levelup and pouchdb-adapter-leveldb. */
function legacyError () {
  return Object.assign(new Error('pmem-level is an abstract-level database, with promises, and no LevelDOWN. ' +
    'With PouchDB use pouchdb-adapter-pmem: PouchDB.plugin(require(\'pouchdb-adapter-pmem\')), then new PouchDB(name, { adapter: \'pmem\' })'), { code: 'LEVEL_LEGACY' })
}

/** The place where `memdown` and others of its age stand: `new PouchDB(name, { db: down })`. */
function down () {
  throw legacyError()
}

module.exports = { down, legacyError }
