'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { fill } = require('../../lib/objects/fill')
const { bytesToOpen } = require('../../lib/files')

/** Memory that opening takes, above that of opening an empty one: of objects that nobody has touched. */
module.exports = {
  name: 'DRAM, not loaded',
  unit: 'object',
  needs: 'files',
  size: 100_000,
  figure: 'bytes',
  async prepare (subject, { size, folder, driver }) {
    await fill(subject, size)
    await subject.close()
    const empty = path.join(folder, 'empty')
    fs.mkdirSync(empty)
    return { size, folder, empty, driver }
  },
  async run ({ size, folder, empty, driver }) {
    return (bytesToOpen(driver, folder) - bytesToOpen(driver, empty)) / size
  }
}
