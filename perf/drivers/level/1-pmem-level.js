'use strict'

const path = require('node:path')

/** A pool of libpmemobj: on tmpfs as if that were persistent memory, on a disk with synced writes. */
module.exports = {
  name: 'pmem-level',
  ours: true,
  media: {
    tmpfs: 'cache-line flush and fence',
    disk: 'a synced write per commit'
  },
  env: { PMEM_IS_PMEM_FORCE: '1' },
  async open (folder) {
    const { PmemLevel } = require('pmem-level')
    const level = new PmemLevel(path.join(folder, 'pool'))
    await level.open()
    return level
  }
}
