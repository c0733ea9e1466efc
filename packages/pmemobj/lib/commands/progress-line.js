'use strict'

const INTERVAL = 100

/** One line on a terminal that says how far it is; nothing at all where that is not a terminal. */
class ProgressLine {
  #terminal
  #next = 0
  #shown = false

  /** @param {NodeJS.WriteStream} [terminal] */
  constructor (terminal = process.stderr) {
    this.#terminal = terminal
  }

  /**
   * @param {{ map: string | undefined, entries: number, bytes: number }} progress
   * @param {number} [total] bytes that there will be, more or less
   */
  show ({ map, entries, bytes }, total) {
    const now = performance.now()
    if (!this.#terminal.isTTY || now < this.#next) return
    this.#next = now + INTERVAL
    this.#shown = true
    const share = total === undefined ? '' : `${Math.min(99, Math.floor(bytes / total * 100))} %, `
    const line = `${share}${mebibytes(bytes)}, ${entries} entries, ${JSON.stringify(map ?? '')}`
    this.#terminal.write(`\r\x1b[K${line.slice(0, (this.#terminal.columns || 80) - 1)}`)
  }

  end () {
    if (this.#shown) this.#terminal.write('\r\x1b[K')
  }
}

/** @param {number} bytes */
function mebibytes (bytes) {
  return `${(bytes / 2 ** 20).toFixed(1)} MiB`
}

module.exports = { ProgressLine }
