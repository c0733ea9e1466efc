'use strict'

const { PostgresLevel } = require('postgres-level')
const { serve } = require('potoroo')

/** A server of a cluster as a process of its own: `server.js URL OPTIONS`, with options of `serve` as JSON. It tells its parent where it listens. */
async function main () {
  const [url, options] = process.argv.slice(2)
  const server = await serve({
    port: 0,
    level: new PostgresLevel(url),
    admins: { admin: 'secret' },
    config: { cluster: { secret: 'a secret', lifetime: '3' }, chttpd_auth: { iterations: 10 } },
    ...JSON.parse(options)
  })
  process.on('SIGTERM', async () => {
    await server.close()
    process.exit()
  })
  process.send?.({ url: server.url, address: server.service.cluster.address })
}

main()
