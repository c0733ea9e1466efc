'use strict'

const { fork } = require('node:child_process')
const { once } = require('node:events')
const path = require('node:path')

/** The next message of a process; fails if it ends instead. @param {import('node:child_process').ChildProcess} child */
async function answerOf (child) {
  const ended = new AbortController()
  const failed = once(child, 'exit', ended).then(([code]) => { throw new Error(`A process of users ended with ${code}.`) })
  try {
    const [answer] = await Promise.race([once(child, 'message', ended), failed])
    return answer
  } finally {
    ended.abort()
    failed.catch(() => {})
  }
}

/** Processes of people with PouchDBs: see live-users.js. */
class People {
  #children

  /** @param {string} url @param {number} processes */
  constructor (url, processes) {
    this.#children = Array.from({ length: processes }, () => fork(path.join(__dirname, 'live-users.js'), [url]))
  }

  /** Has all of them sync, each process its part. @param {Array<{ name: string, database: string }>} people @returns {Promise<number>} documents that they got */
  async sync (people) {
    const parts = this.#children.map((_, i) => people.filter((_, j) => j % this.#children.length === i))
    const results = await Promise.all(this.#children.map((child, i) => this.#ask(child, { sync: parts[i] })))
    return results.reduce((sum, { result }) => sum + result, 0)
  }

  /** Has each write documents; resolves when the server has them. @param {number} count */
  async write (count) { await Promise.all(this.#children.map(child => this.#ask(child, { write: count }))) }

  /** Resolves when people have got that many documents in all. @param {Record<string, number>} counts by name */
  async get (counts) { await Promise.all(this.#children.map(child => this.#ask(child, { get: counts }))) }

  #ask (child, message) {
    child.send(message)
    return answerOf(child)
  }

  async stop () {
    await Promise.all(this.#children.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null).map(child => {
      const exited = once(child, 'exit')
      child.kill('SIGKILL')
      return exited
    }))
  }
}

module.exports = { People }
