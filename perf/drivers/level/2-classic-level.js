'use strict'

const path = require('node:path')

/** LevelDB. The trials that write ask for `sync: true`. */
module.exports = {
  name: 'classic-level',
  media: {
    tmpfs: 'fdatasync per commit (sync: true)',
    disk: 'fdatasync per commit (sync: true)'
  },
  async open (folder) {
    const { ClassicLevel } = require('classic-level')
    const level = new ClassicLevel(path.join(folder, 'leveldb'))
    await level.open()
    return level
  }
}
