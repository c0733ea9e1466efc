'use strict'

const { down } = require('./lib/leveldown')
const { PmemLevel } = require('./lib/pmem-level')

/** The class; called as a LevelDOWN is, which `new PouchDB(name, { db: PmemLevel })` does, it says what to use. */
const Level = new Proxy(PmemLevel, { apply: down })
PmemLevel.prototype.constructor = Level

module.exports = Level
module.exports.PmemLevel = Level
module.exports.down = down
