'use strict'

const { LevelSubject } = require('./level-subject')
const { ServerSubject } = require('./server-subject')

/** @type {Record<string, (disk: string) => { load: Function, verify: Function }>} */
const SUBJECTS = {
  pmem: disk => new LevelSubject('pmem', disk),
  relaxed: disk => new LevelSubject('relaxed', disk),
  encrypted: disk => new LevelSubject('encrypted', disk),
  leveldb: disk => new LevelSubject('leveldb', disk),
  server: disk => new ServerSubject('pmem', disk),
  'server-leveldb': disk => new ServerSubject('classic-level', disk)
}

/** @param {string} kind @param {string} disk */
function createSubject (kind, disk) {
  return SUBJECTS[kind](disk)
}

module.exports = { createSubject }
