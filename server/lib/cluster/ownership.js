'use strict'

const { setTimeout: wait } = require('node:timers/promises')
const { createError } = require('@potoroo/errors')
const { choose } = require('./rendezvous')

/** Name of the lease that allows to write what belongs to no database. */
const CATALOGUE = 'catalogue'

/** How often is looked whether requests have ended, milliseconds. */
const QUIET = 20

/** How long something is kept whose requests did not end when it was to be handed over, milliseconds. */
const RESTLESS = 60_000

/** Codes of an engine that does not take a write now. */
const AWAY = new Set(['LEVEL_UNAVAILABLE', 'LEVEL_POSTGRES_FULL'])

/** This server has it. */
const HERE = Symbol('here')

/** @typedef {import('./membership').Member} Member */

/**
 * Something of which this server is the owner.
 *
 * @typedef {object} Held
 * @property {string} name
 * @property {number} token
 * @property {any} level on which it is written
 * @property {number} uses requests that are under way, and all else that keeps it from being idle
 * @property {number} lasting those among them that go on until they are ended: feeds
 * @property {number} keepers those for which it is not handed over
 * @property {number} usedAt
 * @property {number} work that was done for it, see `use`
 * @property {number} movableAt it is not handed over before
 * @property {boolean} isReady
 * @property {Promise<void> | null} giving it is being given back
 */

/**
 * Knows which server owns what, by leases in the engine, and takes and gives those of this one. Every write of an owner
 * is fenced by its lease's token, so that nothing here has to be right for data to be safe; it is there for requests to
 * find their way.
 */
class Ownership {
  #level
  #membership
  #lifetime
  #release
  #accept
  /** @type {Map<string, Held>} */
  #held = new Map()
  /** Owners elsewhere, as they were last seen. @type {Map<string, { id: string, address: string }>} */
  #others = new Map()
  /** @type {Map<string, Promise<typeof HERE | { id: string, address: string }>>} */
  #finding = new Map()

  /**
   * @param {any} level of the engine
   * @param {import('./membership').Membership} membership
   * @param {object} options
   * @param {number} options.lifetime milliseconds after which an owner that is not heard of is dead
   * @param {(name: string) => Promise<void> | void} options.accept is called when something was taken, and makes it ready
   * @param {(name: string) => Promise<void>} options.release closes what must not be written any more
   */
  constructor (level, membership, { lifetime, accept, release }) {
    this.#level = level
    this.#membership = membership
    this.#lifetime = lifetime
    this.#accept = accept
    this.#release = release
    membership.on('lost', () => this.#lose())
  }

  /** Names of all that it owns. */
  get names () { return [...this.#held.keys()] }

  /** @param {string} name */
  isMine (name) {
    const held = this.#held.get(name)
    return held !== undefined && held.isReady && held.giving === null && this.#membership.isAlive
  }

  /** Whether another server that lives was seen to own it. @param {string} name */
  isElsewhere (name) {
    const other = this.#others.get(name)
    return other !== undefined && this.#membership.isAlive && this.#membership.has(other.id)
  }

  /** Whether it is this server's, ready or not. @param {string} name */
  holds (name) { return this.#held.has(name) }

  /** The fenced level of what is owned here. @param {string} name @throws NOT_OWNER */
  levelOf (name) {
    const held = this.#held.get(name)
    if (held === undefined || held.giving !== null) throw createError('NOT_OWNER')
    return held.level
  }

  /**
   * Counts a use of what is owned here, which is not given back meanwhile.
   *
   * @param {string} name
   * @param {{ work?: number, lasts?: boolean, isKept?: boolean }} [options] work: 1 for a short request; lasts: nobody waits for
   *   its end; isKept: it is not handed over meanwhile
   * @returns {() => void} ends it
   */
  use (name, { work = 1, lasts = false, isKept = false } = {}) {
    const held = /** @type {Held} */ (this.#held.get(name))
    held.uses++
    held.work += work
    if (lasts) held.lasting++
    if (isKept) held.keepers++
    return () => {
      held.uses--
      if (lasts) held.lasting--
      if (isKept) held.keepers--
      held.usedAt = performance.now()
    }
  }

  /** The work that was done so far for what it owns. @returns {Array<{ name: string, work: number, isMovable: boolean }>} */
  get works () {
    const now = performance.now()
    return [...this.#held.values()].map(({ name, work, keepers, movableAt }) => ({ name, work, isMovable: keepers === 0 && now >= movableAt && this.isMine(name) }))
  }

  /** Forgets its owner, which was the wrong one. @param {string} name */
  forget (name) { this.#others.delete(name) }

  /**
   * Finds the owner, or makes this server it: where nobody is, and the choice falls on it.
   *
   * @param {string} name
   * @param {boolean} mustTake whether another server has chosen this one
   * @returns {Promise<typeof HERE | { id: string, address: string }>} an owner, or who is to become it
   * @throws UNAVAILABLE
   */
  async find (name, mustTake) {
    if (this.isMine(name)) return HERE
    const other = this.#others.get(name)
    if (other !== undefined && this.#membership.has(other.id)) return other
    let finding = this.#finding.get(name)
    if (finding === undefined) {
      finding = this.#find(name, mustTake).finally(() => this.#finding.delete(name))
      this.#finding.set(name, finding)
    }
    const found = await finding
    return mustTake && found !== HERE && !this.#others.has(name) ? this.find(name, mustTake) : found
  }

  /** @param {string} name @param {boolean} mustTake @returns {Promise<typeof HERE | { id: string, address: string }>} */
  async #find (name, mustTake) {
    await this.#held.get(name)?.giving
    if (this.isMine(name)) return HERE
    if (!this.#membership.isAlive) throw createError('UNAVAILABLE')
    const { id, members } = this.#membership
    try {
      const lease = (await this.#level.leases.owners([name], { lifetime: this.#lifetime / 1000 })).get(name)
      const isLeft = lease?.isAlive === true && lease.server === id && !this.#held.has(name)
      // It was given to this server, or this one could not give it away.
      if (isLeft) await this.#level.leases.give(name, id, lease.token)
      else if (lease?.isAlive && lease.server !== id) return this.#remember(name, { id: lease.server, address: lease.address })
      const chosen = choose(name, members)
      if (!mustTake && !isLeft && chosen.id !== id) return chosen
      return await this.#take(name, id)
    } catch (error) {
      if (AWAY.has(error.code)) throw createError('UNAVAILABLE', { cause: error })
      throw error
    }
  }

  /** @param {string} name @param {{ id: string, address: string }} owner */
  #remember (name, owner) {
    this.#others.set(name, owner)
    return owner
  }

  /** @param {string} name @param {string} id @returns {Promise<typeof HERE | { id: string, address: string }>} */
  async #take (name, id) {
    const { server, token } = await this.#level.leases.take(name, id, { lifetime: this.#lifetime / 1000 })
    if (server !== id) {
      const member = this.#membership.members.find(each => each.id === server)
      if (member === undefined) throw createError('UNAVAILABLE')
      return this.#remember(name, member)
    }
    // It may have been lost meanwhile; the lease went with the id then.
    if (id !== this.#membership.id || !this.#membership.isAlive) throw createError('UNAVAILABLE')
    this.#others.delete(name)
    const level = this.#level.fenced({ name, token })
    if (level.status === 'opening') await level.open()
    const held = { name, token, level, uses: 0, lasting: 0, keepers: 0, usedAt: performance.now(), work: 0, movableAt: 0, isReady: false, giving: null }
    this.#held.set(name, held)
    try {
      await this.#accept(name)
    } catch (error) {
      await this.give(name)
      throw error
    }
    held.isReady = true
    return HERE
  }

  /**
   * Closes what is owned, and lets others have it.
   *
   * @param {string} name
   * @param {number} [patience] milliseconds that requests may go on
   * @returns {Promise<void>}
   */
  give (name, patience = 0) {
    const held = this.#held.get(name)
    if (held === undefined) return Promise.resolve()
    held.giving ??= this.#give(held, this.#membership.id, performance.now() + patience)
    return held.giving
  }

  /**
   * Gives what it owns to another server, once the requests have ended that are under way; others wait meanwhile.
   *
   * @param {string} name
   * @param {{ id: string, address: string }} to
   * @param {number} patience milliseconds: after these, it is kept
   * @returns {Promise<boolean>} whether it was given
   */
  async handOver (name, to, patience) {
    const held = this.#held.get(name)
    if (held === undefined || !this.isMine(name)) return false
    const { id } = this.#membership
    const work = this.#quieted(held, performance.now() + patience).then(async isQuiet => {
      if (isQuiet) await this.#part(held, id, to)
      else Object.assign(held, { giving: null, movableAt: performance.now() + RESTLESS })
      return isQuiet
    })
    held.giving = work.then(() => {})
    return work
  }

  /** Waits until requests have ended. @param {Held} held @param {number} deadline @returns {Promise<boolean>} whether they have */
  async #quieted (held, deadline) {
    while (held.uses > held.lasting && performance.now() < deadline) await wait(QUIET)
    return held.uses === held.lasting
  }

  /** @param {Held} held @param {string} id @param {number} deadline */
  async #give (held, id, deadline) {
    while (held.uses > 0 && performance.now() < deadline) await wait(QUIET)
    await this.#part(held, id)
  }

  /** @param {Held} held @param {string} id @param {{ id: string, address: string }} [to] who has it from here on */
  async #part (held, id, to) {
    const { name, token } = held
    try {
      await this.#release(name)
    } catch {
      // A store that was closed badly is closed: its writes are fenced.
    }
    try {
      await held.level.close()
      const isGiven = await this.#level.leases.give(name, id, token, to?.id)
      if (isGiven && to !== undefined) this.#remember(name, to)
    } catch {
      // Whoever looks for it here finds that the lease is left, and gives it then.
    } finally {
      if (this.#held.get(name) === held) this.#held.delete(name)
    }
  }

  /**
   * Takes something from whoever has it, and keeps others from it.
   *
   * @param {string} name
   * @param {(owner: { id: string, address: string }) => Promise<void>} ask asks an owner to give it
   * @param {number} deadline of performance.now()
   */
  async seize (name, ask, deadline) {
    while (!this.isMine(name)) {
      const owner = await this.find(name, true)
      if (owner === HERE) return
      await ask(owner)
      this.forget(name)
      if (performance.now() > deadline) throw createError('UNAVAILABLE')
    }
  }

  /** Gives back what nobody has used for so long. @param {number} idle milliseconds @param {(name: string) => boolean} isKept */
  giveIdle (idle, isKept) {
    const now = performance.now()
    for (const { name, uses, usedAt } of this.#held.values()) if (uses === 0 && now - usedAt > idle && !isKept(name)) this.give(name)
  }

  /** Others may have taken everything. */
  #lose () {
    for (const held of this.#held.values()) {
      held.giving ??= this.#abandon(held)
    }
  }

  /** @param {Held} held */
  async #abandon (held) {
    try {
      await this.#release(held.name)
      await held.level.close()
    } catch {
      // Its writes are fenced.
    } finally {
      if (this.#held.get(held.name) === held) this.#held.delete(held.name)
    }
  }

  /** Gives all. @param {number} patience milliseconds that requests may go on */
  async close (patience) { await Promise.all(this.names.map(name => this.give(name, patience))) }
}

/** @param {string} number of a database */
function leaseOf (number) { return `db:${number}` }

module.exports = { AWAY, CATALOGUE, HERE, Ownership, leaseOf }
