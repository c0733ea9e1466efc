'use strict'

const { once } = require('node:events')
const { mkdtempSync, rmSync } = require('node:fs')
const http = require('node:http')
const os = require('node:os')
const path = require('node:path')
const { freePort } = require('../support/free-port')
const { ServerProcess } = require('../support/server-process')

/** The administrator of the server under test; the pages get the same through Karma. */
const admin = { username: 'admin', password: 'browser-tests' }

/**
 * The server under test on a pool in a temporary folder, and beside it a control port, by which a
 * page can have the server killed and started again: `POST /kill`, `POST /start`.
 */
class Launcher {
  #folder = mkdtempSync(path.join(os.tmpdir(), 'potoroo-browser-'))
  #server
  /** @type {number} */
  #port
  #control = http.createServer((req, res) => this.#answer(req, res))

  async start () {
    await this.#startServer().catch(error => {
      this.#removeFolder()
      throw error
    })
    this.#control.listen(0, '127.0.0.1')
    await once(this.#control, 'listening')
    return {
      admin,
      server: `http://127.0.0.1:${this.#port}`,
      control: `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (this.#control.address()).port}`
    }
  }

  async close () {
    this.#control.close()
    this.#control.closeAllConnections()
    const { code } = await this.#server.end('SIGTERM')
    this.#removeFolder()
    if (code !== 0) throw new Error(`The server ended with ${code}:\n${this.#server.output}`)
  }

  #removeFolder () {
    rmSync(this.#folder, { recursive: true, force: true })
  }

  /** The first start takes a free port; the later ones the same. */
  async #startServer () {
    this.#port ??= await freePort()
    this.#server = await ServerProcess.start([
      '--port', String(this.#port), '--data', this.#folder, '--storage', 'pmem', '--allow-volatile', '--admin', `${admin.username}:${admin.password}`
    ], { env: { PMEM_IS_PMEM_FORCE: '1' } })
  }

  async #answer (req, res) {
    res.setHeader('Access-Control-Allow-Origin', '*')
    try {
      if (req.url === '/kill') await this.#server.end('SIGKILL')
      else if (req.url === '/start') await this.#startServer()
      else throw new Error(`No such control: ${req.url}`)
      res.end('done')
    } catch (error) {
      res.writeHead(500).end(String(error.stack))
    }
  }
}

module.exports = { Launcher }
