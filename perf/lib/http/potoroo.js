'use strict'

const NAME = 'perf'
const PASSWORD = 'a-long-enough-password'

/**
 * Starts our server, with an administrator whom each request must name.
 *
 * @param {object} options of `serve`
 */
async function servePotoroo (options) {
  const { url, close } = await require('potoroo').serve({
    ...options,
    admins: { [NAME]: PASSWORD },
    allowVolatile: true,
    log: () => {}
  })
  return { url: url.replace('//', `//${NAME}:${PASSWORD}@`), close }
}

module.exports = { servePotoroo }
