'use strict'

const { setTimeout: wait } = require('node:timers/promises')
const { publicName } = require('@potoroo/document-store')
const { createError } = require('@potoroo/errors')
const { CATALOGUE, HERE, leaseOf } = require('./ownership')
const { isPlain } = require('../databases/plain-database')
const { isLasting } = require('../changes/lasting-feeds')

/** How long a request waits for an owner after the lifetime of a dead one, milliseconds. */
const TAKEOVER = 3000

/** Tells requests for a moment: only the owner of a database knows what is kept of its history. */
const OF_HISTORY = /(?:^|&)at=/

/** How long until an owner is looked up again, milliseconds. */
const PAUSE = 100

/** Bytes of a body that are as much work as a request. */
const WORK_BYTES = 2000

/**
 * @typedef {import('../dispatch/request').PotorooRequest} PotorooRequest
 * @typedef {import('../dispatch/request').PotorooResponse} PotorooResponse
 * @typedef {import('@potoroo/document-store').DistantReader} DistantReader
 * @typedef {{ id: string, address: string }} Server
 */

/** Finds the owner of what a request is about, and passes the request on to it, unless that is this server or it becomes it. */
class RequestRouter {
  #foundation
  #settings
  #ownership
  #links
  /** @type {any} */
  service

  /**
   * @param {import('../service/foundation').Foundation} foundation
   * @param {{ lifetime: number }} settings
   * @param {import('./ownership').Ownership} ownership
   * @param {import('./links').Links} links
   */
  constructor (foundation, settings, ownership, links) {
    this.#foundation = foundation
    this.#settings = settings
    this.#ownership = ownership
    this.#links = links
  }

  /**
   * Answers a request by the owner of what it is about, unless that is this server.
   *
   * @param {PotorooRequest & { passed?: string }} req
   * @param {PotorooResponse} res
   * @param {string | undefined} name of a database, or `catalogue`; undefined: whoever is asked answers
   * @param {import('../dispatch/route-table').Route} [route] undefined: the path has not this method
   * @returns {boolean | Promise<boolean | DistantReader>} false: it is to be answered here; a reader: out of that
   * @throws UNAVAILABLE where there is no owner, and nobody becomes it
   */
  answersElsewhere (req, res, name, route) {
    if (name === undefined) return false
    const lease = name === CATALOGUE ? CATALOGUE : this.leaseOf(name)
    if (lease === undefined || !this.#ownership.isMine(lease)) return this.#lead(req, res, name, route)
    this.#use(lease, req, res, route)
    return false
  }

  /** As far as it is known without reading. @param {string} name */
  leaseOf (name) {
    const number = this.service.databases.users.numberOf(name)
    return number === undefined ? undefined : leaseOf(number)
  }

  /** @param {string} lease @param {PotorooRequest} req @param {PotorooResponse} res @param {import('../dispatch/route-table').Route} [route] */
  #use (lease, req, res, route) {
    const lasts = route?.shards === 'changes' && isLasting(req.search)
    res.once('close', this.#ownership.use(lease, { work: 1 + (Number(req.headers['content-length']) || 0) / WORK_BYTES, lasts }))
  }

  /** @param {PotorooRequest & { passed?: string }} req @param {PotorooResponse} res @param {string} name @param {import('../dispatch/route-table').Route} [route] @returns {Promise<boolean | DistantReader>} */
  async #lead (req, res, name, route) {
    const anywhere = route?.anywhere === true && !OF_HISTORY.test(req.search) && req.passed === undefined && isPlain(publicName(name), this.service.users)
    const deadline = performance.now() + this.#settings.lifetime + TAKEOVER
    for (let isFirst = true; ; isFirst = false) {
      const lease = name === CATALOGUE ? CATALOGUE : await this.lookUp(name, isFirst && (req.passed === undefined || req.passed === this.leaseOf(name)))
      // There is none: whoever is asked says so.
      if (lease === undefined) return false
      const owner = await this.ownerOf(lease, req.passed !== undefined)
      if (owner === HERE && this.#ownership.isMine(lease)) {
        this.#use(lease, req, res, route)
        return false
      }
      if (owner !== HERE && owner !== null) {
        if (req.passed !== undefined) {
          /** @type {any} */ (res).move()
          // It may have been given to this server since.
          this.#ownership.forget(lease)
          return true
        }
        const reader = anywhere && this.#ownership.isElsewhere(lease) ? await this.service.databases.users.freshReader(name) : null
        if (reader !== null) return reader
        if (await this.#passOn(owner, lease, req, res)) return true
        this.#ownership.forget(lease)
      }
      if (performance.now() > deadline || res.destroyed || this.#foundation.closing.aborted) throw createError('UNAVAILABLE')
      await wait(PAUSE)
    }
  }

  /** @param {string} name @param {boolean} isKnownEnough whether it may be from memory */
  async lookUp (name, isKnownEnough) {
    const known = isKnownEnough ? this.leaseOf(name) : undefined
    if (known !== undefined) return known
    const number = await this.service.databases.users.lookUp(name)
    return number === undefined ? undefined : leaseOf(number)
  }

  /** @param {string} lease @param {boolean} mustTake @returns {Promise<typeof HERE | Server | null>} null: not now */
  async ownerOf (lease, mustTake) {
    try {
      return await this.#ownership.find(lease, mustTake)
    } catch (error) {
      if (error.code === 'UNAVAILABLE' || error.code === 'NO_DATABASE' || error.code === 'NOT_OWNER') return null
      throw error
    }
  }

  /** @param {Server} owner @param {string} lease @param {any} req @param {any} res */
  async #passOn (owner, lease, req, res) {
    const { user, forwarded, inShard, merging, originalUrl, baseUrl } = req
    let link
    try {
      link = await this.#links.to(owner)
    } catch {
      return false
    }
    if (req.bodyInstead === undefined && req.takenBody !== undefined) req.bodyInstead = req.takenBody.bytes
    this.#foundation.tracing?.pass(req.headers)
    return link.passOn(req, res, { user, forwarded, inShard, merging, originalUrl, baseUrl, internal: true, passed: lease })
  }
}

module.exports = { PAUSE, RequestRouter, TAKEOVER }
