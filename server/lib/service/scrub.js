'use strict'

const { setTimeout: sleep } = require('node:timers/promises')
const { checkOnline } = require('@potoroo/document-store')
const { numberOf } = require('../stats/metrics')

const BYTES = numberOf('potoroo.scrub.bytes')
const ERRORS = numberOf('potoroo.scrub.errors')
const PASSES = numberOf('potoroo.scrub.passes')

/** The place of the databases in the storage. */
const PREFIX = 'databases/'

/** Bytes of a step: the disk is busy for no longer at a time. */
const STEP = 1024 * 1024

/** Faults and problems of a pass that are kept; all are counted and logged. */
const KEPT = 1000

/**
 * Reads the whole storage again and again, at a set rate, so that rot is found before what rots is
 * needed: of a pool each page and value, whose checksums are verified again. On demand (`POST /_scrub`) it
 * does so at once, and then checks the documents of each database, too.
 *
 * Figures and faults are kept in memory: `[scrub]` says how often, and how fast.
 */
class Scrub {
  #service
  #stop = new AbortController()
  /** @type {NodeJS.Timeout | undefined} */
  #timer
  /** @type {Promise<void> | undefined} */
  #running
  #pass = newPass(0)
  #lastPassAt = 0
  /** Bytes a second, 0: as fast as it goes. */
  #rate = 0
  /** Whether each database is checked, too. */
  #documents = false
  /** @type {import('@potoroo/document-store').Fault[]} those of the pass, as the level tells them */
  #faults = []

  /** @param {import('./service').Service} service */
  constructor (service) {
    this.#service = service
    service.config.on('change', section => { if (section === 'scrub') this.schedule() })
  }

  /** Whether the storage can verify its checksums: LevelDB cannot be asked to. */
  get #canScrub () { return typeof this.#service.storage.level.scrub === 'function' }

  /** Sets when the next pass begins by itself. */
  schedule () {
    clearTimeout(this.#timer)
    const { config } = this.#service
    if (this.#stop.signal.aborted || !this.#canScrub || !config.boolean('scrub', 'enable')) return
    const since = Date.now() - this.#lastPassAt
    const delay = this.#lastPassAt === 0 ? config.integer('scrub', 'start_delay') : config.integer('scrub', 'interval') - since / 1000
    // A timer takes no more than 24 days.
    this.#timer = setTimeout(() => { this.start({ rate: config.integer('scrub', 'rate') }) }, Math.min(2 ** 31 - 1, Math.max(1000, delay * 1000)))
    this.#timer.unref()
  }

  /**
   * Begins a pass. One that is under way goes on, faster or with the documents where that is asked for.
   *
   * @param {{ rate?: number, documents?: boolean }} [options] bytes a second, 0: as fast as it goes;
   *   `documents`: check each database, too
   */
  start ({ rate = 0, documents = false } = {}) {
    clearTimeout(this.#timer)
    this.#rate = this.#running === undefined || rate === 0 ? rate : this.#rate
    this.#documents ||= documents
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined
      this.#documents = false
      this.schedule()
    })
  }

  /** How far the pass is that is under way, or what the last one has found. Times in milliseconds. */
  status () {
    return { ...this.#pass, running: this.#running !== undefined, lastPassAt: this.#lastPassAt }
  }

  async #run () {
    const { storage, log } = this.#service
    const pass = this.#pass = newPass(Date.now())
    try {
      pass.total = this.#canScrub ? storage.level.stats().used : 0
      if (this.#canScrub) await this.#readAll(pass)
      if (this.#documents) await this.#checkAll(pass)
      if (this.#stop.signal.aborted) return
      this.#service.counts.count(PASSES)
      this.#lastPassAt = pass.endedAt = Date.now()
      log.line('notice', `Scrub: ${pass.done} bytes read, ${pass.errors} errors`)
    } catch (error) {
      if (this.#stop.signal.aborted) return
      pass.failed = error.message
      pass.endedAt = Date.now()
      log.line('error', `Scrub: ${error.stack}`)
    }
  }

  /** @param {Pass} pass */
  async #readAll (pass) {
    const { signal } = this.#stop
    const { level } = this.#service.storage
    const names = await this.#namesByNumber()
    this.#faults = []
    for (let step; step?.done !== true && !signal.aborted;) {
      const startedAt = performance.now()
      step = await level.scrub(step, STEP)
      pass.done += step.bytes
      pass.updatedAt = Date.now()
      this.#service.counts.count(BYTES, step.bytes)
      this.#faults.push(...step.faults.slice(0, KEPT - this.#faults.length))
      for (const fault of step.faults) this.#note(pass, 'faults', faultOf(fault, names), describe)
      await this.#rest(startedAt, step.bytes)
    }
  }

  /** Until the step was as slow as it has to be. @param {number} startedAt @param {number} bytes */
  async #rest (startedAt, bytes) {
    const { signal } = this.#stop
    while (this.#rate > 0 && !signal.aborted) {
      const rest = 1000 * bytes / this.#rate - (performance.now() - startedAt)
      if (rest <= 0) return
      await sleep(Math.min(rest, 250), undefined, { signal, ref: false }).catch(() => {})
    }
  }

  /** @param {Pass} pass */
  async #checkAll (pass) {
    for await (const problem of checkOnline(this.#service.storage.level, { prefix: PREFIX, faults: this.#faults })) {
      if (this.#stop.signal.aborted) return
      this.#note(pass, 'problems', problem, text => text)
    }
  }

  /** @param {Pass} pass @param {'faults' | 'problems'} list @param {any} item @param {(item: any) => string} inWords */
  #note (pass, list, item, inWords) {
    pass.errors++
    if (pass[list].length < KEPT) pass[list].push(item)
    this.#service.counts.count(ERRORS)
    this.#service.log.quote('error', `Scrub: ${inWords(item)}`)
  }

  async #namesByNumber () {
    const text = { keyEncoding: 'utf8', valueEncoding: 'utf8' }
    const entries = await this.#service.storage.level.iterator({ gte: `${PREFIX}n`, lt: `${PREFIX}o`, ...text }).all()
    return new Map(/** @type {Array<[string, string]>} */ (entries).map(([key, number]) => [number, key.slice(PREFIX.length + 1)]))
  }

  /** Ends the pass that is under way. */
  async close () {
    clearTimeout(this.#timer)
    this.#stop.abort()
    await this.#running
  }
}

/** @typedef {ReturnType<typeof newPass>} Pass */

/** @param {number} startedAt */
function newPass (startedAt) {
  return { startedAt, updatedAt: startedAt, endedAt: 0, done: 0, total: 0, errors: 0, faults: /** @type {any[]} */ ([]), problems: /** @type {string[]} */ ([]), failed: /** @type {string | null} */ (null) }
}

/**
 * Describes damage of the storage, and names its database.
 *
 * @param {{ kind: 'page' | 'key' | 'value', offset: number, key: Buffer }} damage
 * @param {Map<string, string>} names
 */
function faultOf ({ kind, offset, key }, names) {
  const text = key.toString()
  const number = /^databases\/b(\d+)\//.exec(text)?.[1]
  return { kind, offset, key: text, database: number === undefined ? null : names.get(number) ?? null }
}

/** @param {ReturnType<typeof faultOf>} damage */
function describe ({ kind, offset, key, database }) {
  const what = { page: 'the page of the keys from', key: 'the key that begins with', value: 'the value of the key' }[kind]
  return `${what} ${JSON.stringify(key)} is damaged, at ${offset} in the pool${database === null ? '' : `, of the database ${database}`}`
}

module.exports = { Scrub, describe }
