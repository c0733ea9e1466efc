'use strict'

const { readAnswer } = require('./function-result')

/**
 * @typedef {import('../query-server').Program} Program
 * @typedef {import('../query-server').LogEntry} LogEntry
 */

const PLUS = '+'.charCodeAt(0)

/** Logs what functions log, which comes before their answers. */
class FunctionLog {
  #log

  /** @param {(entry: LogEntry) => void} log */
  constructor (log) {
    this.#log = log
  }

  /**
   * Logs what is to be logged.
   *
   * @param {Program} program
   * @param {string} text
   * @returns {string} the answer as JSON
   */
  told (program, text) {
    try {
      const { lines, answer } = readAnswer(text)
      this.#tell(program, lines)
      return answer
    } catch (error) {
      this.#tell(program, error.lines ?? [])
      throw error
    }
  }

  /**
   * The same of bytes.
   *
   * @param {Program} program
   * @param {Buffer} content
   */
  toldBefore (program, content) {
    const end = content.indexOf('\n')
    if (content[end + 1] !== PLUS) this.told(program, content.toString())
    else if (end > 0) this.told(program, content.toString('utf8', 0, end + 2))
    return content.subarray(end + 2)
  }

  /** @param {Program} program @param {import('./function-result').Line[]} lines */
  #tell ({ functions: { origin } }, lines) { for (const [level, message] of lines) this.#log({ level, message, origin }) }

  /** Logs what is wrong with what a function gave. @param {import('../query-server').Origin | undefined} origin @param {string} message */
  warn (origin, message) { this.#log({ level: 'warning', message, origin }) }
}

module.exports = { FunctionLog }
