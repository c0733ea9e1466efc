'use strict'

const { setTimeout: pause } = require('node:timers/promises')
const { createError } = require('@potoroo/errors')
const { KeyedDigest } = require('./keyed-digest')
const { requireAcceptable, spendIterations, verifyPassword } = require('../users/password')
const { matchesOneTimePassword } = require('../users/one-time-password')

/** @typedef {import('../users/password').Hashing} Hashing */
/** @typedef {import('../users/password').PasswordHash} PasswordHash */
/** @typedef {import('../users/users').UserRecord} UserRecord */

/** Milliseconds from a login to a new hash: whoever logs in to change their document does it first, and is in no conflict. */
const GRACE = 1000

/**
 * Whether a name has a password. Deriving a key takes a tenth of a second, so what was right once
 * is remembered, under a hash of it with a key of this process, until that user changes or has not
 * come for a while. A wrong password is not remembered, and costs as much whether the name exists or not.
 */
class Credentials {
  #users
  #settings
  #derivation
  #lockout
  #log
  #closing
  /** From the one verified first: digest → whose it is. @type {Map<string, Verified>} */
  #verified = new Map()
  /** The digests of each name. @type {Map<string, Set<string>>} */
  #digests = new Map()
  /** The same credentials of many requests at once are verified once. @type {Map<string, Promise<import('../users/users').UserRecord>>} */
  #pending = new Map()
  /** @type {Map<string, Promise<void>>} */
  #turns = new Map()
  #digest = new KeyedDigest()
  /** Users whose hash will be made again: name → as they came last. @type {Map<string, { record: import('../users/users').UserRecord, password: string }>} */
  #upgrading = new Map()

  /** @typedef {{ record: import('../users/users').UserRecord, user: import('./authenticator').User, usedAt: number }} Verified */

  /**
   * @param {import('../users/users').Users} users
   * @param {import('./auth-settings').AuthSettings} settings
   * @param {import('../users/key-derivation').KeyDerivation} derivation
   * @param {import('../users/lockout').Lockout} lockout
   * @param {(level: 'warning' | 'error', text: string) => void} log
   * @param {AbortSignal} [closing] after which no hash is made again
   */
  constructor (users, settings, derivation, lockout, log, closing) {
    this.#users = users
    this.#settings = settings
    this.#derivation = derivation
    this.#lockout = lockout
    this.#log = log
    this.#closing = closing
    users.onForget(name => this.#forget(name))
  }

  /** @param {string} credentials base64 of `name:password` */
  digest (credentials) { return this.#digest.of(credentials) }

  /**
   * Returns at once who was verified with these before and needs nothing else.
   *
   * @param {string} digest
   * @param {string} client
   * @throws forbidden where the name is locked for this client
   */
  known (digest, client) {
    const found = this.#recall(digest, client)
    return found === undefined || found.record.totp !== undefined ? undefined : found.user
  }

  /** @param {string} digest @param {string} client */
  #recall (digest, client) {
    const found = this.#verified.get(digest)
    if (found === undefined) return undefined
    const now = Date.now()
    if (now - found.usedAt > this.#settings.now.passwords.idle) {
      this.#drop(digest)
      return undefined
    }
    this.#requireUnlocked(client, found.record)
    found.usedAt = now
    return found
  }

  /**
   * @param {string} name
   * @param {string} password
   * @param {string} client
   * @returns {Promise<import('../users/users').UserRecord>}
   * @throws unauthorized when name or password are wrong; forbidden when the name is locked
   */
  async check (name, password, client) {
    const digest = this.digest(Buffer.from(`${name}:${password}`).toString('base64'))
    const known = this.#recall(digest, client)
    if (known !== undefined) return known.record
    const key = `${digest} ${client}`
    let pending = this.#pending.get(key)
    if (pending === undefined) {
      pending = this.#inTurn(JSON.stringify([client, name]), () => this.#verify(name, password, client, digest)).finally(() => this.#pending.delete(key))
      this.#pending.set(key, pending)
    }
    return pending
  }

  /**
   * One password of a name after another, so that those who come at once are counted before the next is tried.
   *
   * @template T
   * @param {string} key
   * @param {() => Promise<T>} action
   * @returns {Promise<T>}
   */
  #inTurn (key, action) {
    const result = (this.#turns.get(key) ?? Promise.resolve()).then(action)
    const turn = result.then(() => {}, () => {}).then(() => { if (this.#turns.get(key) === turn) this.#turns.delete(key) })
    this.#turns.set(key, turn)
    return result
  }

  /** @param {string} name @param {string} password @param {string} client @param {string} digest */
  async #verify (name, password, client, digest) {
    const record = await this.#users.find(name)
    this.#requireUnlocked(client, record ?? nobody(name))
    const { hashing, limits } = this.#settings.now
    if (record !== null) requireAcceptable(record.hash, limits)
    const right = record !== null && await verifyPassword(password, record.hash, this.#derivation, client)
    if (!right) {
      // As much for a hash of few iterations, of many, and for none.
      await spendIterations(password, { ...hashing, iterations: hashing.iterations - costOf(record) }, this.#derivation, client)
      return this.#refuse(client, record ?? nobody(name))
    }
    this.#users.requireResolved(record)
    this.#remember(digest, record)
    this.#upgrade(record, password)
    return record
  }

  /** @param {string} client @param {{ name: string, hash: { salt: string } }} record @returns {never} */
  #refuse (client, { name, hash }) {
    this.#lockout.count(client, name, hash.salt)
    this.#log('warning', `Authentication failed for user ${name} from ${client}`)
    throw wrong()
  }

  /** @param {string} client @param {{ name: string, hash: { salt: string } }} record */
  #requireUnlocked (client, { name, hash }) {
    const left = Math.ceil(this.#lockout.lockedFor(client, name, hash.salt) / 1000)
    if (left <= 0) return
    this.#log('warning', `Authentication rejected for locked-out user ${name} from ${client}, for ${Math.ceil(left / 60)} min more`)
    const locked = createError('FORBIDDEN', { reason: 'Account is temporarily locked due to multiple authentication failures' })
    throw Object.assign(locked, { headers: { 'Retry-After': String(left) } })
  }

  /** Not what was forgotten while it was verified: it has changed since. @param {string} digest @param {UserRecord} record */
  #remember (digest, record) {
    const { remember, size } = this.#settings.now.passwords
    if (!remember || !this.#users.isKnown(record)) return
    for (const oldest of this.#verified.keys()) {
      if (this.#verified.size < size) break
      this.#drop(oldest)
    }
    const user = Object.freeze({ name: record.name, roles: record.roles, authenticated: /** @type {const} */ ('default') })
    this.#verified.set(digest, { record, user, usedAt: Date.now() })
    const digests = this.#digests.get(record.name)
    if (digests === undefined) this.#digests.set(record.name, new Set([digest]))
    else digests.add(digest)
  }

  /** @param {string} digest */
  #drop (digest) {
    const name = this.#verified.get(digest)?.record.name
    this.#verified.delete(digest)
    if (name === undefined) return
    const digests = this.#digests.get(name)
    digests?.delete(digest)
    if (digests?.size === 0) this.#digests.delete(name)
  }

  /** @param {string | null} name */
  #forget (name) {
    if (name === null) {
      this.#verified.clear()
      this.#digests.clear()
    } else {
      for (const digest of this.#digests.get(name) ?? []) this.#verified.delete(digest)
      this.#digests.delete(name)
    }
  }

  /**
   * Some time after the answer, a user whose hash is not as it would be made today gets a new one.
   *
   * @param {UserRecord} record
   * @param {string} password
   */
  #upgrade (record, password) {
    const { upgrade, hashing } = this.#settings.now
    if (!upgrade || record.document === undefined || isCurrent(record.hash, hashing)) return
    const { name } = record
    const isWaiting = this.#upgrading.has(name)
    // The last login before it is made counts: since the others the document may have changed.
    this.#upgrading.set(name, { record, password })
    if (isWaiting) return
    pause(GRACE, undefined, { ref: false, signal: this.#closing }).then(() => this.#upgradeNow(name)).catch(error => {
      if (error.status !== 409 && error.name !== 'AbortError') this.#log('warning', `The password hash of ${name} could not be upgraded: ${error.message}`)
    })
  }

  /** @param {string} name */
  async #upgradeNow (name) {
    const { record, password } = /** @type {{ record: import('../users/users').UserRecord, password: string }} */ (this.#upgrading.get(name))
    this.#upgrading.delete(name)
    await this.#users.upgrade(record, password)
  }

  /**
   * A user who has a second factor is let in by it alone. One that is wrong, or missing, counts as a wrong password does: else
   * whoever knows the password could try all of them.
   *
   * @param {import('../users/users').UserRecord} record
   * @param {string} client
   * @param {string} [token] none by Basic authentication, which has no place for it
   * @throws unauthorized; forbidden when the name is locked
   */
  requireSecondFactor (record, client, token) {
    if (record.totp === undefined) return
    this.#requireUnlocked(client, record)
    if (token === undefined || !matchesOneTimePassword(record.totp, token)) this.#refuse(client, record)
  }
}

/** @param {string} name */
function nobody (name) { return { name, hash: { salt: '' } } }

/** Iterations that a wrong password cost. @param {UserRecord | null} record */
function costOf (record) {
  return record === null || record.hash.scheme === 'simple' ? 0 : /** @type {number} */ (record.hash.iterations)
}

/** No hash gets weaker, even if the setting is the weak old scheme. @param {PasswordHash} hash @param {Hashing} hashing */
function isCurrent (hash, { scheme, prf, iterations }) {
  return scheme !== 'pbkdf2' || (hash.scheme === scheme && hash.prf === prf && hash.iterations === iterations)
}

function wrong () { return createError('UNAUTHORIZED', { reason: 'Name or password is incorrect.' }) }

module.exports = { Credentials }
