'use strict'

const NAME = 'perf'
const PASSWORD = 'a-long-enough-password'
const ADMINS = { [NAME]: PASSWORD }

/** A URL with their credentials. */
function authorised (url) { return url.replace('//', `//${NAME}:${PASSWORD}@`) }

/**
 * Starts our server, with an administrator whom each request must name.
 *
 * @param {object} options of `serve`
 */
async function servePotoroo (options) {
  const { url, close } = await require('potoroo').serve({
    ...options,
    admins: ADMINS,
    allowVolatile: true,
    workers: Number(process.env.POTOROO_WORKERS ?? 1),
    log: () => {}
  })
  return { url: authorised(url), close }
}

module.exports = { ADMINS, authorised, servePotoroo }
