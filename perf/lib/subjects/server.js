'use strict'

// A server in a process of its own that tells its parent what memory it takes, and how long it kept others
// waiting: `node --expose-gc server.js FOLDER STORAGE`.

const { setTimeout: wait } = require('node:timers/promises')
const { serve } = require('potoroo')
const { processMemory } = require('../run/meters')
const { Stall } = require('../stalls/stall')

const [folder, storage] = process.argv.slice(2)

/** Bytes, after collections: what hangs on finalizers goes with the second. */
async function memory () {
  for (let i = 0; i < 3; i++) {
    globalThis.gc()
    await wait(30)
  }
  const { heapUsed, external } = process.memoryUsage()
  return { heap: heapUsed, external, resident: processMemory().own }
}

const stall = new Stall()

/** @type {Record<string, () => any>} */
const answers = {
  memory,
  cpu () {
    const { user, system } = process.cpuUsage()
    return user + system
  },
  watch () { stall.watch() },
  reset () { stall.reset() },
  stall: () => stall.longest
}

async function main () {
  const server = await serve({
    port: 0,
    path: folder,
    storage: /** @type {any} */ (storage),
    size: 4 * 2 ** 30,
    allowVolatile: true,
    admins: { admin: 'secret' },
    config: { chttpd_auth: { iterations: 10 } }
  })
  process.on('message', async question => process.send(await answers[/** @type {string} */ (question)]() ?? null))
  process.on('disconnect', () => process.exit())
  process.send({ url: server.url })
}

main()
