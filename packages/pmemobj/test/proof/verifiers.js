'use strict'

const { fork } = require('node:child_process')
const { once } = require('node:events')

// Opening longer than that counts as hung.
const PATIENCE = 120_000

/**
 * Processes that open what power cuts left, one image at a time each: what is damaged may bring a
 * process down.
 */
class Verifiers {
  #env
  #idle = []
  #waiting = []
  #count

  /**
   * @param {{ disk: boolean, count?: number, fault?: number }} options
   */
  constructor ({ disk, count = 2, fault = 0 }) {
    const { LD_PRELOAD, ...env } = process.env
    this.#env = { ...env, PMEM_IS_PMEM_FORCE: disk ? '0' : '1', PLANTED_FAULT: String(fault) }
    this.#count = count
  }

  /** Starts them: before there is a pool, whose lock a new process would inherit. */
  async start () {
    while (this.#idle.length < this.#count) this.#idle.push(this.#fork())
    await Promise.all(this.#idle.map(child => once(child, 'message')))
  }

  /**
   * @param {{ path: string, check: boolean, goOn: boolean, mayBeNone: boolean, unknown?: object }} request
   * @returns {Promise<{ text?: string, none?: boolean, wrong?: string }>} what it holds, or what is wrong with it
   */
  async ask (request) {
    const child = this.#idle.pop() ?? await new Promise(resolve => this.#waiting.push(resolve))
    child.send(request)
    const reply = await answerOf(child)
    const next = child.exitCode === null && child.signalCode === null ? child : await this.#replace()
    const waiting = this.#waiting.shift()
    if (waiting === undefined) this.#idle.push(next)
    else waiting(next)
    return reply
  }

  async stop () {
    await Promise.all(this.#idle.map(child => {
      child.disconnect()
      return once(child, 'exit')
    }))
    this.#idle = []
  }

  async #replace () {
    const child = this.#fork()
    await once(child, 'message')
    return child
  }

  #fork () {
    return fork(require.resolve('./verifier-process'), { env: this.#env, execArgv: ['--expose-gc'] })
  }
}

function answerOf (child) {
  return new Promise(resolve => {
    const patience = setTimeout(() => child.kill('SIGKILL'), PATIENCE)
    const done = reply => {
      clearTimeout(patience)
      child.off('message', done)
      child.off('exit', died)
      resolve(reply)
    }
    const died = (code, signal) => done({ wrong: `the process that opened it died: ${signal ?? code}` })
    child.once('message', done)
    child.once('exit', died)
  })
}

module.exports = { Verifiers }
