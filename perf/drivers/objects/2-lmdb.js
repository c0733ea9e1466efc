'use strict'

const { LmdbObjects } = require('../../lib/objects/lmdb')

/** LMDB, by the lmdb package. */
module.exports = {
  name: 'lmdb',
  media: {
    tmpfs: 'putSync with fdatasync per commit (overlappingSync: false)',
    disk: 'putSync with fdatasync per commit (overlappingSync: false)'
  },
  lacks: ['root', 'collect', 'overwrite'],
  async open (folder) {
    return new LmdbObjects(folder)
  }
}
