'use strict'

const { SubjectServer } = require('../memory/subject-server')
const { GOOD, prepare } = require('./bodies')

/** Requests that V8 compiles the server's code with. */
const WARM_UP = 50

/**
 * Sends a body to a server of its own, beside somebody who reads a document all the while.
 *
 * @param {import('./bodies').LargeBody} body
 * @param {string} storage
 * @returns {Promise<{ status: number, megabytes: number, stall: number }>} stall: milliseconds of CPU
 */
async function measure ({ name, count, target, text, statuses, before, headers }, storage) {
  const server = await SubjectServer.start(storage)
  try {
    await prepare((...request) => server.ask(...request))
    await before?.((...request) => server.ask(...request), count)
    for (let i = 0; i < WARM_UP; i++) await server.ask('GET', GOOD)
    const [method, path] = target.split(' ')
    const bytes = method === 'GET' ? undefined : Buffer.from(text(count))
    await server.call('watch')
    await server.call('reset')
    const { status } = await beside(server, server.send(method, path, bytes, headers))
    const stall = await server.call('stall')
    if (!statuses.includes(status)) throw new Error(`${name}: ${status}`)
    return { status, megabytes: (bytes?.length ?? 0) / 1e6, stall }
  } finally {
    await server.stop()
  }
}

/** @template T @param {SubjectServer} server @param {Promise<T>} sent */
async function beside (server, sent) {
  const over = new AbortController()
  const end = () => over.abort()
  sent.then(end, end)
  while (!over.signal.aborted) await server.ask('GET', GOOD)
  return sent
}

module.exports = { measure }
