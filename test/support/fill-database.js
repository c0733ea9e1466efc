'use strict'

/** Documents of one request. */
const BATCH = 1000

/**
 * Makes a database of a server, and writes documents into it.
 *
 * @param {string} url of the database, with credentials
 * @param {object[]} docs
 */
async function fillDatabase (url, docs) {
  const { origin, username, password, pathname } = new URL(url)
  const headers = { 'Content-Type': 'application/json', Authorization: `Basic ${btoa(`${username}:${password}`)}` }
  /** @param {string} method @param {string} path @param {object} [body] */
  const send = async (method, path, body) => {
    const response = await fetch(origin + path, { method, headers, body: body && JSON.stringify(body) })
    if (!response.ok) throw new Error(await response.text())
  }
  await send('PUT', pathname)
  for (let at = 0; at < docs.length; at += BATCH) await send('POST', `${pathname}/_bulk_docs`, { docs: docs.slice(at, at + BATCH) })
}

module.exports = { fillDatabase }
