'use strict'

const { count } = require('./words')

/** Skipped revisions and differences that are printed of each database. */
const SHOWN = 100

/** Prints what an import did with each database. */
class Report {
  #stdout
  #stderr

  /** @param {{ stdout: { write: (text: string) => any }, stderr: any }} streams */
  constructor ({ stdout, stderr }) {
    this.#stdout = stdout
    this.#stderr = stderr
  }

  /** @param {string} name of the database @param {string} text */
  say (name, text) { this.#stdout.write(`${name}: ${text}\n`) }

  /** @param {string} name @param {Error} error */
  failed (name, { message }) { this.#stderr.write(`${name}: ${message}\n`) }

  /** @param {Array<{ id: string, rev?: string, reason: string }>} skipped @returns {boolean} whether nothing was */
  skipped (skipped) {
    this.#show(skipped.map(({ id, rev, reason }) => `skipped ${title(id, rev)}: ${reason}`), skipped.length)
    return skipped.length === 0
  }

  /** Differences as they are found, of which the first ones are shown. */
  differences () {
    /** @type {string[]} */
    const lines = []
    return {
      add: (/** @type {{ id: string, rev?: string, what: string }} */ { id, rev, what }) => { if (lines.length < SHOWN) lines.push(`${title(id, rev)} ${what}`) },
      /** @param {number} total @returns {boolean} whether there are none */
      show: total => {
        this.#show(lines, total)
        return total === 0
      }
    }
  }

  /** @param {string[]} lines @param {number} total */
  #show (lines, total) {
    for (const line of lines.slice(0, SHOWN)) this.#stderr.write(`  ${line}\n`)
    if (total > SHOWN) this.#stderr.write(`  and ${count(total - SHOWN)} more\n`)
  }
}

/** @param {string} id @param {string | undefined} rev */
function title (id, rev) {
  return rev === undefined ? JSON.stringify(id) : `${JSON.stringify(id)} ${rev}`
}

module.exports = { Report }
