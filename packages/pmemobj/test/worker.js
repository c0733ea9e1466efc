'use strict'

const { once } = require('node:events')
const { Worker } = require('node:worker_threads')

const index = require.resolve('..')

/**
 * A worker thread that runs a script, with `{ Pool, location, data, parentPort }` at hand.
 *
 * @param {string} script the body of an async function
 * @param {string} location
 * @param {unknown} [data]
 */
function startWorker (script, location, data) {
  const program = `
    const { workerData: { location, data }, parentPort } = require('node:worker_threads')
    const { Pool } = require(${JSON.stringify(index)})
    async function main () { ${script} }
    main()`
  return new Worker(program, { eval: true, workerData: { location, data } })
}

/** Its exit code, once it has ended by itself; rejects with what it threw. */
async function runWorker (script, location, data) {
  const worker = startWorker(script, location, data)
  const [code] = await once(worker, 'exit')
  return code
}

module.exports = { startWorker, runWorker }
