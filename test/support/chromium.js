'use strict'

const { once } = require('node:events')
const { readFileSync } = require('node:fs')
const http = require('node:http')
const { chromium } = require('playwright-core')
const { findBrowser } = require('../../scripts/lib/system-packages')

/** A container's root has no sandbox, and its /dev/shm may be small. */
const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage']

/** @returns {string} what starts it */
function chromiumPath () { return findBrowser() ?? 'chromium' }

/** @param {import('playwright-core').LaunchOptions} [options] beside what all tests need */
function launchChromium (options) { return chromium.launch({ executablePath: chromiumPath(), args: FLAGS, ...options }) }

/**
 * Serves a page that loads scripts, one after the other.
 *
 * @param {string[]} scripts files
 * @returns {Promise<{ address: string, close: () => void }>}
 */
async function servePage (scripts) {
  const page = '<!doctype html><meta charset="utf-8">' + scripts.map((_, i) => `<script src="/${i}"></script>`).join('')
  const server = http.createServer((request, response) => {
    const file = scripts[Number(/^\/(\d+)$/.exec(/** @type {string} */ (request.url))?.[1])]
    response.setHeader('Content-Type', file === undefined ? 'text/html' : 'text/javascript')
    response.end(file === undefined ? page : readFileSync(file))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { address: `http://127.0.0.1:${port}/`, close }
}

/**
 * Returns the seconds of CPU of all of a browser's processes.
 *
 * @param {import('playwright-core').CDPSession} session of the browser
 */
async function cpuTime (session) {
  const { processInfo } = await session.send('SystemInfo.getProcessInfo')
  return processInfo.reduce((sum, { cpuTime }) => sum + cpuTime, 0)
}

module.exports = { FLAGS, chromiumPath, cpuTime, launchChromium, servePage }
