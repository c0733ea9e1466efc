'use strict'

const { spawn } = require('node:child_process')
const { once } = require('node:events')
const path = require('node:path')
const { createInterface } = require('node:readline')

const program = path.join(__dirname, '../../server/bin/potoroo.js')
const administrator = 'tester:secret'

/**
 * Starts the server as its users do.
 *
 * @param {string} folder for its data
 * @returns {Promise<{ url: string, stop: () => Promise<void> }>} the URL has an administrator's
 *   name and password in it
 */
async function startServer (folder) {
  const child = spawn(process.execPath, [
    program, 'serve', '--port', '0', '--storage', 'pmem', '--allow-volatile', '--data', path.join(folder, 'server'), '--admin', administrator
  ], { stdio: ['ignore', 'pipe', 'inherit'] })
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGTERM')
    await once(child, 'exit')
  }
  process.once('exit', () => child.kill('SIGKILL'))
  for await (const line of createInterface({ input: child.stdout })) {
    const address = /http:\/\/[^\s/]+/.exec(line)?.[0]
    if (address === undefined) continue
    child.stdout.resume()
    return { url: address.replace('//', `//${administrator}@`), stop }
  }
  throw new Error('The server ended before it listened')
}

module.exports = { startServer }
