'use strict'

const { LmdbObjects } = require('../../lib/objects/lmdb')

/**
 * The same with its cache: `get` gives the very object that was given before, without looking into
 * the database. A program that changes one without putting it changes what the next reader gets.
 */
module.exports = {
  name: 'lmdb, cache',
  media: {
    tmpfs: 'as lmdb',
    disk: 'as lmdb'
  },
  // Its files are as the other's.
  lacks: ['root', 'collect', 'midi', 'overwrite'],
  async open (folder) {
    return new LmdbObjects(folder, { cache: true })
  }
}
