'use strict'

const fs = require('node:fs')
const { Pool } = require('../pool/pool')
const { constants } = require('./constants')
const { unwrap, wrap } = require('./persistent-object')

const CLOSED = 'pool not opened or already closed'

/** A pool as JSPMDK has it: made without a file, which `create()` or `open()` brings. */
class PersistentObjectPool {
  #path
  #size
  #mode
  /** @type {Pool | undefined} */
  #pool
  /** Savepoints of the transactions that tx_begin() has begun. @type {number[]} */
  #savepoints = []
  /** @type {number} */
  #stage = constants.TX_STAGE_NONE

  /** @param {string} path @param {number} size in bytes @param {number} mode */
  constructor (path, size, mode) {
    this.#path = path
    this.#size = size
    this.#mode = mode
  }

  get #open () {
    if (this.#pool === undefined) throw new Error(CLOSED)
    return this.#pool
  }

  #checkClosed () {
    if (this.#pool !== undefined) throw new Error('pool already created or opened')
  }

  /** Returns 1 where there is a pool, 0 where there is something else, and -1 where there is nothing. */
  check () {
    if (!fs.existsSync(this.#path)) return -1
    if (this.#pool !== undefined) return 1
    try {
      Pool.open(this.#path, { createIfMissing: false }).close()
      return 1
    } catch (error) {
      return error.code === 'PMEMOBJ_IN_USE' ? 1 : 0
    }
  }

  create () {
    this.#checkClosed()
    this.#pool = Pool.create(this.#path, { size: this.#size, maxSize: 0 })
    fs.chmodSync(this.#path, this.#mode)
  }

  open () {
    this.#checkClosed()
    this.#pool = Pool.open(this.#path, { createIfMissing: false })
  }

  get root () { return wrap(this.#open.root) }
  set root (value) { this.#open.root = unwrap(value) }

  /** @param {object} value a plain object or array */
  create_object (value) { return wrap(this.#open.create(unwrap(value))) }

  /** @param {ArrayBuffer} buffer */
  create_arraybuffer (buffer) { return wrap(this.#open.create(buffer)) }

  /** @param {() => unknown} work */
  transaction (work) { this.#open.transaction(work) }

  gc () { this.#open.collect() }

  close () {
    this.gc()
    this.#open.close()
    this.#pool = undefined
  }

  // Transactions without a function

  get #heap () { return Pool.heapOf(this.#open) }

  tx_begin () {
    this.#savepoints.push(this.#heap.begin())
    this.#stage = constants.TX_STAGE_WORK
  }

  tx_commit () {
    this.#checkWork()
    this.#savepoints.pop()
    this.#stage = constants.TX_STAGE_ONABORT
    this.#heap.commit()
    this.#stage = constants.TX_STAGE_ONCOMMIT
  }

  tx_abort () {
    this.#checkWork()
    this.#heap.rollBack(/** @type {number} */ (this.#savepoints.pop()))
    this.#stage = constants.TX_STAGE_ONABORT
  }

  tx_end () {
    if (this.#stage === constants.TX_STAGE_WORK) throw new Error('transaction neither committed nor aborted')
    this.#stage = this.#savepoints.length > 0 ? constants.TX_STAGE_WORK : constants.TX_STAGE_NONE
  }

  #checkWork () {
    if (this.#open === undefined || this.#stage !== constants.TX_STAGE_WORK) throw new Error('no transaction under way')
  }

  /** The stage, to be called as in JSPMDK's source or compared as in its document. */
  get tx_stage () {
    const stage = this.#stage
    return Object.assign(() => stage, { valueOf: () => stage })
  }
}

module.exports = { PersistentObjectPool }
