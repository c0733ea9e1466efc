'use strict'

const { load } = require('../../lib/level/entries')
const { bytesOnMedia } = require('../../lib/files')

const RAW = 16 + 200

/** Measures the size of the files after entries came in random order. */
module.exports = {
  name: 'bytes on media',
  unit: 'raw byte',
  needs: 'files',
  size: 1_000_000,
  figure: 'bytes',
  async prepare (level, { size, folder }) {
    await load(level, size)
    await level.close()
    return { size, folder }
  },
  async run ({ size, folder }) {
    return bytesOnMedia(folder) / (size * RAW)
  }
}
