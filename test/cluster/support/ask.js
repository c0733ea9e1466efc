'use strict'

const { setTimeout: wait } = require('node:timers/promises')

const AUTHORIZATION = 'Basic ' + Buffer.from('admin:secret').toString('base64')

/**
 * Sends a request as the administrator.
 *
 * @param {{ url: string }} server
 * @param {string} method
 * @param {string} path
 * @param {any} [body] JSON
 * @param {Record<string, string>} [headers]
 * @returns {Promise<{ status: number, headers: Headers, body: any }>}
 */
async function ask (server, method, path, body, headers) {
  const res = await fetch(server.url + path, {
    method,
    headers: { authorization: AUTHORIZATION, 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) })
  })
  const text = await res.text()
  return { status: res.status, headers: res.headers, body: text === '' ? undefined : JSON.parse(text) }
}

/**
 * Asks until an answer is as it should be.
 *
 * @param {() => Promise<any>} act
 * @param {(answer: any) => boolean} isDone
 */
async function until (act, isDone) {
  for (;;) {
    const answer = await act()
    if (isDone(answer)) return answer
    await wait(20)
  }
}

module.exports = { AUTHORIZATION, ask, until }
