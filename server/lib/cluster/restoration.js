'use strict'

const { setTimeout: wait } = require('node:timers/promises')
const { Membership } = require('./membership')
const { CATALOGUE } = require('./ownership')
const { CONFIGURATION } = require('./watch')

/** Entry that is there while a restore goes on, and after one was interrupted: what else is stored is not whole. */
const MARK = 'cluster/restoring'

/** Address in place of one where others could reach it. */
const ADDRESS = 'restore'

/** Milliseconds after which one that was killed counts as gone, and for which is waited. */
const LIFETIME = 5000
const PATIENCE = 3 * LIFETIME

const TEXT = { keyEncoding: 'utf8', valueEncoding: 'utf8' }
const BYTES = { keyEncoding: 'buffer', valueEncoding: 'buffer' }

/**
 * Fills a storage that servers share, while none of them uses it: each that starts meanwhile finds the mark, and refuses.
 * One that was interrupted is begun again by the next.
 */
class Restoration {
  #level
  #membership

  /** Use `open`. @param {any} level a fenced one @param {Membership} membership */
  constructor (level, membership) {
    this.#level = level
    this.#membership = membership
  }

  /**
   * @param {any} level of an engine that has leases
   * @param {(text: string) => void} warn
   * @throws STORAGE_IN_USE, STORAGE_NOT_EMPTY
   */
  static async open (level, warn) {
    const membership = new Membership(level.leases, { name: ADDRESS, lifetime: LIFETIME, load: () => 0, warn })
    await membership.open(ADDRESS)
    try {
      await requireAlone(membership)
      const { token, taken } = await level.leases.take(CATALOGUE, membership.id, { lifetime: LIFETIME / 1000 })
      if (!taken) throw inUse()
      const fenced = level.fenced({ name: CATALOGUE, token })
      await fenced.open()
      const restoration = new Restoration(fenced, membership)
      await restoration.#begin()
      return restoration
    } catch (error) {
      await membership.close()
      throw error
    }
  }

  async #begin () {
    const isAgain = await this.#level.get(MARK, TEXT) !== undefined
    if (isAgain) await this.#clear()
    else if ((await this.#level.keys({ limit: 1 }).all()).length > 0) throw failure('STORAGE_NOT_EMPTY', 'There is something in it already; name another database of PostgreSQL, or empty this one')
    await this.#level.put(MARK, new Date().toISOString(), TEXT)
    try {
      // A server that joined before the mark was there may not have seen it.
      await this.#membership.refresh()
      await requireAlone(this.#membership)
    } catch (error) {
      await this.#level.del(MARK, TEXT)
      throw error
    }
  }

  async #clear () {
    await this.#level.clear({ lt: MARK, ...TEXT })
    await this.#level.clear({ gt: MARK, ...TEXT })
  }

  /** @param {Array<[Buffer, Buffer]>} entries */
  write (entries) {
    return this.#level.batch(entries.map(([key, value]) => ({ type: 'put', key, value })), BYTES)
  }

  /** Makes the whole of it valid, with the settings of all servers. @param {Record<string, Record<string, string>>} sections */
  finish (sections) {
    const value = JSON.stringify({ version: 1, sections })
    return this.#level.batch([{ type: 'put', key: CONFIGURATION, value }, { type: 'del', key: MARK }], TEXT)
  }

  /** Empties it again: what was written is of no use. */
  async abandon () {
    await this.#clear()
    await this.#level.del(MARK, TEXT)
  }

  async close () {
    await this.#level.close()
    await this.#membership.close()
  }
}

/** Waits for a restore that was killed, as long as it counts as alive. @param {Membership} membership @throws STORAGE_IN_USE */
async function requireAlone (membership) {
  const deadline = performance.now() + PATIENCE
  for (;;) {
    const others = membership.members.filter(({ id }) => id !== membership.id)
    if (others.length === 0) return
    if (others.some(({ address }) => address !== ADDRESS) || performance.now() > deadline) throw inUse()
    await wait(LIFETIME / 10)
    await membership.refresh()
  }
}

function inUse () { return failure('STORAGE_IN_USE', 'Servers use it, or another restore does; stop them first') }

/** @param {string} code @param {string} message */
function failure (code, message) { return Object.assign(new Error(message), { code }) }

/** @param {any} level @throws STORAGE_RESTORING where a restore is going on, or was interrupted */
async function refuseRestoring (level) {
  if (await level.get(MARK, TEXT) === undefined) return
  throw failure('STORAGE_RESTORING', 'It is being restored, or a restore was interrupted: run potoroo restore again')
}

module.exports = { Restoration, refuseRestoring }
