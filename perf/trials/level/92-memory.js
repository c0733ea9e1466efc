'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { load } = require('../../lib/level/entries')
const { bytesToOpen } = require('../../lib/files')

/** Memory that opening takes, above that of opening an empty one. */
module.exports = {
  name: 'DRAM',
  unit: 'entry',
  needs: 'files',
  size: 1_000_000,
  figure: 'bytes',
  async prepare (level, { size, folder, driver }) {
    await load(level, size)
    await level.close()
    const empty = path.join(folder, 'empty')
    fs.mkdirSync(empty)
    return { size, folder, empty, driver }
  },
  async run ({ size, folder, empty, driver }) {
    return (bytesToOpen(driver, folder) - bytesToOpen(driver, empty)) / size
  }
}
