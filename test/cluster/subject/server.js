'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { ServerProcess } = require('../../support/server-process')

/** One server of the cluster: a process that comes back at the same address. */
class Server {
  #process
  #words
  #env
  #paused = false
  /** Output of its former lives. */
  #printed = ''
  name
  url

  /** @param {{ name: string, port: number, folder: string, storage: string, config: Record<string, Record<string, string | number>> }} options */
  constructor ({ name, port, folder, storage, config }) {
    this.name = name
    this.url = new URL(`http://127.0.0.1:${port}`)
    fs.mkdirSync(folder, { recursive: true })
    fs.writeFileSync(path.join(folder, 'potoroo.ini'), iniOf({ chttpd_auth: { iterations: 10 }, ...config }))
    this.#words = ['--port', String(port), '--data', folder, '--storage', storage, '--admin', 'admin:secret', '--log-level', 'warning']
    this.#env = { PMEM_IS_PMEM_FORCE: '1' }
  }

  get isRunning () { return this.#process !== undefined }

  get output () { return this.#printed + (this.#process?.output ?? '') }

  async start () {
    if (this.#process !== undefined) return
    const server = this.#process = new ServerProcess(this.#words, { env: this.#env })
    server.exited.then(() => {
      this.#printed = (this.#printed + server.output).slice(-200_000)
      if (this.#process === server) this.#process = undefined
    })
    await server.started
  }

  async kill () {
    this.#paused = false
    await this.#process?.end('SIGKILL')
  }

  /** As an administrator does it. @returns {Promise<{ code: number | null, signal: string | null } | undefined>} */
  async stop () {
    if (this.#paused) this.resume()
    return this.#process?.end('SIGTERM')
  }

  pause () {
    this.#paused = true
    process.kill(this.#process.pid, 'SIGSTOP')
  }

  resume () {
    if (!this.#paused || this.#process === undefined) return
    this.#paused = false
    process.kill(this.#process.pid, 'SIGCONT')
  }
}

function iniOf (config) {
  return Object.entries(config).map(([section, values]) => `[${section}]\n${Object.entries(values).map(([key, value]) => `${key} = ${value}\n`).join('')}`).join('')
}

module.exports = { Server }
