'use strict'

const { openPouchDB } = require('../../lib/pouchdb/open')

module.exports = {
  name: 'pmem',
  ours: true,
  media: {
    tmpfs: 'cache-line flush and fence',
    disk: 'a synced write per commit'
  },
  env: { PMEM_IS_PMEM_FORCE: '1' },
  async open (folder) {
    return openPouchDB(require('pouchdb-adapter-pmem'), { adapter: 'pmem' }, folder)
  }
}
