'use strict'

// A server in a process of its own, whose threads get little memory, and die or do not start when they are told to. For dying.test.js.
const fs = require('node:fs')
const workers = require('node:worker_threads')

/** Descriptors that it may have. */
const DESCRIPTORS = Number(process.argv[3])

/** Descriptors that serve nobody. */
const taken = []

/** Fates of the next threads: `refused`, or `killed` before they listen. */
const fates = []

class MortalWorker extends workers.Worker {
  constructor (file, options) {
    const fate = fates.shift()
    if (fate === 'refused') throw new Error('The system has no thread')
    super(file, { ...options, resourceLimits: { maxOldGenerationSizeMb: 32 } })
    if (fate === 'killed') this.terminate()
  }
}
workers.Worker = MortalWorker

const { serve } = require('../..')

const orders = {
  /** One thread gets what it does not expect. */
  throw: ({ server }) => { server.workers[0].postMessage('and'.length) },
  /** One ends, and so do others after it. */
  kill: ({ server }, ...next) => {
    fates.push(...next)
    server.workers[0].terminate()
  },
  /** Leaves few descriptors. */
  fill: () => { while (fs.readdirSync('/proc/self/fd').length < DESCRIPTORS - 32) taken.push(fs.openSync('/dev/null')) },
  empty: () => { for (const descriptor of taken.splice(0)) fs.closeSync(descriptor) },
  /** Waits until all are there. */
  replaced: ({ server }) => server.replaced,
  count: ({ server, service }) => ({ workers: server.workers.length, statistics: service.statistics.length }),
  /** Twice, as one who is in a hurry. */
  close: server => Promise.all([server.close(), server.close()])
}

async function main (path) {
  const server = await serve({
    port: 0,
    path,
    storage: 'pmem',
    size: 64 * 1024 * 1024,
    allowVolatile: true,
    workers: 2,
    admins: { admin: 'secret' },
    config: { chttpd_auth: { iterations: 10 } },
    log: text => process.send({ log: text })
  })
  process.on('message', async ([order, ...rest]) => process.send({ done: await orders[order](server, ...rest) ?? null }))
  process.send({ url: server.url })
}

main(process.argv[2])
