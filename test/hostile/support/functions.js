'use strict'

const assert = require('node:assert/strict')

/** Milliseconds of `[query_server_config] os_process_timeout`: as long as a busy machine may need for a function that does nothing. */
const TIMEOUT = 4000

/** For shapes whose functions do their worst. */
const server = { config: { query_server_config: { os_process_timeout: TIMEOUT, os_process_limit: 16, os_process_idle_limit: 1 } } }

/** An answer of the server, and no fault of it. @param {import('./subject').Answer} answer @param {string} what */
function assertAnswered ({ status, text }, what) {
  assert.ok(status >= 200 && status <= 500, `${what}: ${status} ${text.slice(0, 300)}`)
  assert.doesNotMatch(text.slice(0, 10_000), /"error":"internal_server_error"/, what)
}

/**
 * Runs attacks side by side with somebody who does no harm, and who has to get the right answers all the while.
 *
 * @param {Array<() => Promise<any>>} attacks
 * @param {() => Promise<void>} good asserts them
 */
async function beside (attacks, good) {
  const over = new AbortController()
  const attacked = Promise.all(attacks.map(attack => attack())).finally(() => over.abort())
  // A failure of either ends both.
  let rounds = 0
  while (!over.signal.aborted) {
    await Promise.race([good(), attacked.then(() => {})])
    rounds++
  }
  await attacked
  await good()
  return { 'right answers beside it': rounds }
}

module.exports = { assertAnswered, beside, server, TIMEOUT }
