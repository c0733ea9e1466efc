'use strict'

/** The option `db` of LevelDB's adapter; other adapters take no notice of it. */
module.exports = function MemDOWN () {}
