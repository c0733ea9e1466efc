'use strict'

const { fork } = require('node:child_process')
const { once } = require('node:events')
const path = require('node:path')

/** A process that does what subject.js can. */
class SubjectProcess {
  #child = fork(path.join(__dirname, 'subject.js'), { execArgv: ['--expose-gc'], env: { ...process.env, PMEM_IS_PMEM_FORCE: '1' } })

  get pid () { return this.#child.pid }

  /** @returns {Promise<any>} its answer; throws what went wrong there */
  async do (step, options) {
    this.#child.send({ step, ...options })
    const [answer] = await once(this.#child, 'message')
    if (answer.error !== undefined) throw new Error(answer.error)
    return answer
  }

  async close () {
    const closed = once(this.#child, 'exit')
    this.#child.send({ step: 'close' })
    await closed
  }
}

module.exports = { SubjectProcess }
