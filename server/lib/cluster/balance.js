'use strict'

/** Work a second below which a server is not busy, whatever others do. */
const BUSY = 50

/** How many times the work of another server this one must have. */
const FACTOR = 1.5

/** For how many looks in a row, a second each: a burst moves nothing. */
const LOOKS = 10

/** The looks from a move to the next: the other server has told of the first one then. */
const PACE = 4

/** The part of a rate that is new each second. */
const NEW = 0.5

/** Shorter times are not measured, milliseconds. */
const SHORTEST = 500

/** @typedef {{ id: string, address: string, load: number }} Member */

/**
 * Finds what a server should hand over to another that has less to do. Work is counted where databases are owned:
 * requests, and the bytes that they bring. Only that moves which makes the busiest of the two less busy: a single database
 * that is all the work stays where it is.
 */
class Balance {
  /** By name: all the work so far, and work a second. @type {Map<string, { work: number, rate: number, isMovable: boolean }>} */
  #known = new Map()
  #at = 0
  #looks = 0

  /**
   * @param {Array<{ name: string, work: number, isMovable: boolean }>} works of what is owned
   * @param {number} now milliseconds
   * @returns {number} work a second in all
   */
  measure (works, now) {
    const seconds = (now - this.#at) / 1000
    if (seconds * 1000 >= SHORTEST) {
      const part = 1 - (1 - NEW) ** seconds
      this.#known = new Map(works.map(({ name, work, isMovable }) => {
        const { work: before, rate } = this.#known.get(name) ?? { work: 0, rate: 0 }
        // It may have been given away and taken again.
        const done = work < before ? work : work - before
        return [name, { work, isMovable, rate: rate + part * (done / seconds - rate) }]
      }))
      this.#at = now
    }
    return Math.round(this.#load)
  }

  get #load () { return [...this.#known.values()].reduce((sum, { rate }) => sum + rate, 0) }

  /**
   * Looks once a second.
   *
   * @param {string} id of this server
   * @param {Member[]} members with the loads that they last told
   * @param {(name: string) => boolean} mayMove
   * @returns {{ name: string, to: Member } | null} what to hand over now
   */
  choose (id, members, mayMove) {
    const others = members.filter(member => member.id !== id)
    const to = others.reduce((least, other) => least === null || other.load < least.load ? other : least, /** @type {Member | null} */ (null))
    const load = this.#load
    if (to === null || load < BUSY || load < FACTOR * to.load) this.#looks = 0
    else if (++this.#looks >= LOOKS) {
      this.#looks = LOOKS - PACE
      const name = this.#heaviest((load - to.load) / 2, mayMove)
      return name === null ? null : { name, to }
    }
    return null
  }

  /** The one with the most work, up to as much that the other server does not become the busier one. @param {number} most @param {(name: string) => boolean} mayMove */
  #heaviest (most, mayMove) {
    let found = null
    let heaviest = 0
    for (const [name, { rate, isMovable }] of this.#known) {
      if (isMovable && rate > heaviest && rate <= most && mayMove(name)) [found, heaviest] = [name, rate]
    }
    return found
  }
}

module.exports = { Balance }
