'use strict'

const { OneByOne } = require('./one-by-one')
const { rangeOf } = require('../rows/row-layout')

/**
 * @typedef {object} IndexState
 * @property {number} index its number
 * @property {number} seq the update sequence that is indexed
 * @property {number} purgeSeq
 * @property {number[]} counts rows by view
 * @property {number} external bytes of the rows, without the prefix that all keys of the index have
 * @property {number} active bytes of the rows and of what says which document has which
 * @property {string[]} collations names by view
 * @property {Record<string, number>} [sums] salts of the views that have sums
 * @property {string[]} [unfinished] documents that have some of their rows and not all
 *
 * The place of an index's state, which outlives the index. isStored: it was there when the database was opened
 * @typedef {{ state: any, isStored: boolean }} Kept
 *
 * Says what is indexed with some documents. fresh: none of them has records yet
 * @typedef {{ seq?: number, purgeSeq?: number, fresh?: boolean }} Reached
 *
 * @typedef {import('../rows/row-layout').RowLayout} RowLayout
 * @typedef {import('../rows/row-layout').IndexSpace} IndexSpace
 */

/**
 * An index in the level of its database, whose records and state change in one batch.
 *
 * @template {IndexState} State
 */
class LevelIndex {
  #space
  #layout
  #kept
  #tasks
  #writing = 0
  /** @type {object | undefined} */
  owner

  /**
   * @param {IndexSpace} space the document store's
   * @param {RowLayout} layout
   * @param {{ signature: string, collations: import('@potoroo/collation').Collation[] }} definition
   * @param {Kept} kept
   */
  constructor (space, layout, { signature, collations }, kept) {
    this.#space = space
    this.#layout = layout
    this.#tasks = new OneByOne(space)
    this.#kept = kept
    this.signature = signature
    this.collations = collations
  }

  /** @returns {State} */
  get state () { return this.#kept.state }

  /** The update sequence that is indexed. */
  get seq () { return this.state.seq }
  get purgeSeq () { return this.state.purgeSeq }

  /** Whether what is stored may be ahead of `state`. */
  get isWriting () { return this.#writing > 0 }

  /** Reads the state at a snapshot that was taken just now. @param {any} snapshot @returns {Promise<State>} */
  async storedState (snapshot) {
    const known = this.state
    const stored = await this.#space.keyspace.get(this.#layout.name(this.signature), snapshot)
    return stored === undefined ? known : JSON.parse(stored)
  }

  /** Runs what reads before it writes. @template T @param {() => Promise<T>} task @returns {Promise<T>} */
  alone (task) { return this.#tasks.run(task) }

  /**
   * @param {any[]} operations that of the state is added
   * @param {State} state that they lead to
   * @param {'half'} [kept] how much it may take of what a full level keeps for deleting
   */
  write (operations, state, kept) {
    operations.push({ type: 'put', key: this.#layout.name(this.signature), value: JSON.stringify(state) })
    return this.#write(operations, state, kept)
  }

  /** @param {any[]} operations @param {State} state @param {'half'} [kept] */
  async #write (operations, state, kept) {
    this.#writing++
    try {
      await this.#space.keyspace.write(operations, { kept })
      this.take(state)
    } finally {
      this.#writing--
    }
  }

  /** Goes on from a state that was written. @param {State} state */
  take (state) { this.#kept.state = state }

  /**
   * Forgets all records, in one batch, and begins again under another number.
   *
   * @param {number} number
   */
  restart (number) {
    return this.alone(() => this.#drop(operations => this.write(operations, this.emptied(number))))
  }

  /**
   * Forgets the index and all of its records. A crash leaves what the next opening clears. Records that are
   * written after that are of another index, under another number.
   *
   * @param {number} number
   * @param {number} purgeSeq of the store
   */
  clear (number, purgeSeq) {
    const forget = { type: 'del', key: this.#layout.name(this.signature) }
    return this.alone(() => this.#drop(operations => this.#write([...operations, forget], { ...this.emptied(number), purgeSeq })))
  }

  /** @param {(operations: any[]) => Promise<void>} write */
  async #drop (write) {
    const { index } = this.state
    await write([{ type: 'put', key: this.#layout.drop(index), value: '' }])
    await clearRecords(this.#space, this.#layout, index)
  }

  /** The state without any records. @param {number} number @returns {State} */
  emptied (number) {
    const { sums, unfinished, ...others } = this.state
    return /** @type {any} */ ({ ...others, index: number, seq: 0, ...nothingIn(others.counts.length) })
  }
}

/** Returns what an index without rows counts. @param {number} views how many it has */
function nothingIn (views) { return { counts: new Array(views).fill(0), external: 0, active: 0 } }

/**
 * Clears what is left of an index that was dropped.
 *
 * @param {IndexSpace} space
 * @param {RowLayout} layout
 * @param {number} number
 */
async function clearRecords ({ keyspace }, layout, number) {
  for (const prefix of layout.allOf(number)) await keyspace.clear(rangeOf(prefix))
  await keyspace.write([{ type: 'del', key: layout.drop(number) }])
}

module.exports = { LevelIndex, clearRecords, nothingIn }
