'use strict'

/** Characters of what strangers wrote. */
const LONGEST_QUOTE = 2000

const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'none']

/**
 * The log. Lines are gathered and written together, so that a request does not wait for them.
 * Requests are lines of level `notice`; faults of the server, with their stacks, are `error`.
 */
class Log {
  #lines = []
  #write
  #level

  /**
   * @param {{ level?: string, write?: (text: string) => void }} [options]
   *   `write` takes whole lines, by default to stderr
   */
  constructor ({ level = 'warning', write = text => process.stderr.write(text) } = {}) {
    this.#level = Math.max(LEVELS.indexOf(level), 0)
    this.#write = write
    this.logsRequests = this.#level <= LEVELS.indexOf('notice')
  }

  /** @param {'debug' | 'info' | 'notice' | 'warning' | 'error'} level */
  line (level, text) {
    if (LEVELS.indexOf(level) < this.#level) return
    if (this.#lines.push(`[${level}] ${new Date().toISOString()} ${text}\n`) === 1) setImmediate(() => this.flush())
  }

  /** What strangers wrote, or some of it: on one line, without what terminals obey. */
  quote (level, text) { this.line(level, text.slice(0, LONGEST_QUOTE).replace(/\p{Cc}+/gu, ' ')) }

  request (req, res, id) {
    const start = process.hrtime.bigint()
    const url = req.originalUrl ?? req.url
    res.on('close', () => {
      const ms = Number(process.hrtime.bigint() - start) / 1e6
      const user = req.user?.name ?? 'undefined'
      this.line('notice', `${id} ${req.headers.host} ${req.socket.remoteAddress} ${user} ${req.method} ${url} ${res.statusCode} ${res.writableFinished ? 'ok' : 'aborted'} ${ms.toFixed(1)}`)
    })
  }

  fault (req, error) {
    this.line('error', `${req.method} ${req.originalUrl ?? req.url}: ${error?.stack ?? error}`)
  }

  flush () {
    if (this.#lines.length === 0) return
    const text = this.#lines.join('')
    this.#lines = []
    this.#write(text)
  }
}

module.exports = { Log, LEVELS }
