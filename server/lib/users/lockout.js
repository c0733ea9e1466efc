'use strict'

const crypto = require('node:crypto')

/**
 * Counts wrong passwords for each name from each client, and locks that name for that client out
 * after `threshold` of them, until `lifetime` milliseconds after the first. Names that do not exist
 * are counted as well: otherwise the lock would tell who does.
 *
 * @see https://docs.couchdb.org/en/stable/config/auth.html#automatic-user-lockout
 */
class Lockout {
  #settings
  #log
  #onCount
  /** From the oldest count to the newest, by a clock that nobody sets. @type {Map<string, { count: number, until: number }>} */
  #counts = new Map()

  /**
   * @param {import('../auth/auth-settings').AuthSettings} settings
   * @param {(text: string) => void} log takes warnings
   * @param {(key: string) => void} [onCount] told before a wrong password counts
   */
  constructor (settings, log, onCount = () => {}) {
    this.#settings = settings
    this.#log = log
    this.#onCount = onCount
  }

  /**
   * @param {string} client
   * @param {string} name
   * @param {string} salt of the password, so that a new password unlocks
   * @returns {number} milliseconds that it is locked for; 0: it is not
   */
  lockedFor (client, name, salt) {
    if (this.#counts.size === 0) return 0
    const { mode, threshold } = this.#settings.now.lockout
    if (mode !== 'enforce' && mode !== 'warn') return 0
    const found = this.#find(keyOf(client, name, salt))
    if (found === undefined || found.count < threshold) return 0
    if (mode === 'enforce') return found.until - performance.now()
    this.#log(`authentication failure threshold reached for ${name} from ${client}`)
    return 0
  }

  /** A password was wrong. @param {string} client @param {string} name @param {string} salt */
  count (client, name, salt) {
    const { mode } = this.#settings.now.lockout
    if (mode !== 'enforce' && mode !== 'warn') return
    const key = keyOf(client, name, salt)
    this.#onCount(key)
    this.heed(key)
  }

  /** A password was wrong, here or at another server that told so. @param {string} key of name and client */
  heed (key) {
    const { size, lifetime } = this.#settings.now.lockout
    const found = this.#find(key)
    if (found !== undefined) {
      found.count++
      return
    }
    for (const oldest of this.#counts.keys()) {
      if (this.#counts.size < size) break
      this.#counts.delete(oldest)
    }
    this.#counts.set(key, { count: 1, until: performance.now() + lifetime })
  }

  /** @param {string} key */
  #find (key) {
    const found = this.#counts.get(key)
    if (found === undefined || found.until > performance.now()) return found
    this.#counts.delete(key)
    return undefined
  }
}

/** Names may be as long as a header. */
const LONG = 256

/** @param {string} client @param {string} name @param {string} salt */
function keyOf (client, name, salt) {
  const key = JSON.stringify([client, name, salt])
  return key.length > LONG ? crypto.hash('sha256', key) : key
}

module.exports = { Lockout }
