'use strict'

const { servePotoroo } = require('../../lib/http/potoroo')

module.exports = {
  name: 'potoroo, pmem',
  ours: true,
  media: {
    tmpfs: 'cache-line flush and fence',
    disk: 'a synced write per commit'
  },
  env: { PMEM_IS_PMEM_FORCE: '1' },
  serve ({ folder, port }) {
    return servePotoroo({ path: folder, port, storage: 'pmem' })
  }
}
