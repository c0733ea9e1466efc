'use strict'

const { once } = require('node:events')
const { ADMINS, authorised } = require('../../lib/http/potoroo')

/** Mounted in an application's own express, whose server is node's. */
module.exports = {
  name: 'potoroo in express 5, pmem',
  ours: true,
  media: { tmpfs: 'cache-line flush and fence' },
  env: { PMEM_IS_PMEM_FORCE: '1' },
  async serve ({ folder, port }) {
    const databases = require('potoroo')({ path: folder, storage: 'pmem', allowVolatile: true, admins: ADMINS, log: () => {} })
    await databases.ready
    // Express 5 is the server's; perf's own is express-pouchdb's 4.
    const express = require(require.resolve('express', { paths: [require.resolve('potoroo')] }))
    const server = express().use('/', databases).listen(port, '127.0.0.1')
    await once(server, 'listening')
    return { url: authorised(`http://127.0.0.1:${server.address().port}`), close: () => close(server, databases) }
  }
}

async function close (server, databases) {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  await databases.close()
}
