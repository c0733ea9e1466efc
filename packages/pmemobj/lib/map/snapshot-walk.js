'use strict'

const binding = require('../binding/binding')
const { createError } = require('../base/codes')
const { checkName } = require('./map-name')
const { rangeOf, KEYS, VALUES, KEY_PIECES, VALUE_PIECES } = require('./read-options')
const { Snapshot } = require('./snapshot')

const FLAGS = rangeOf({}).flags | KEYS | VALUES | KEY_PIECES | VALUE_PIECES
// Entries of one page: what a page of tiny ones takes for their lengths is bounded by it.
const MOST = 16384
// Bytes in a group, except for its last entry.
const GROUP = 256 * 1024
// A longer value is a group of its own.
const LARGE = 256 * 1024

/**
 * Some entries of a map, one after the other: `lengths` has those of key, value, key, value, …
 * and `bytes` all of them without gaps. Or, with `large`, one entry whose value is long.
 *
 * @typedef {{ lengths: Uint32Array, bytes: Buffer, large: boolean }} Group
 */

/** Reads all maps of a snapshot in order, hidden ones too, or one map: of its own snapshot, or of the one given. */
class SnapshotWalk {
  #pool
  /** @type {Snapshot | undefined} its own */
  #own
  #snapshot
  /** @type {unknown} handle of the map that is being read */
  #iterator
  /** @type {{ name: string, number: number }[]} */
  #maps = []
  #entries = 0
  #started = 0

  /**
   * @param {unknown} pool handle
   * @param {Pick<import('../..').StreamOptions, 'snapshot' | 'map' | 'as'>} [options] the snapshot stays open until the walk is closed
   */
  constructor (pool, { snapshot, map, as } = {}) {
    if (map !== undefined) checkName(map)
    if (as !== undefined) checkName(as)
    this.#pool = pool
    if (snapshot === undefined) this.#own = new Snapshot(pool)
    this.#snapshot = Snapshot.handleOf(snapshot ?? this.#own)
    const flat = binding.mapsOf(pool, this.#snapshot)
    for (let i = 0; i < flat.length; i += 2) this.#maps.push({ name: flat[i], number: Number(flat[i + 1]) })
    if (map !== undefined) this.#choose(map, as)
  }

  /** @param {string} map @param {string} [as] its name in what is written */
  #choose (map, as = map) {
    this.#maps = this.#maps.filter(({ name }) => name === map).map(({ number }) => ({ name: as, number }))
    if (this.#maps.length > 0) return
    this.close()
    throw createError('PMEMOBJ_NOT_FOUND', `There is no map ${JSON.stringify(map)}`)
  }

  /** Names of all maps. */
  get names () { return this.#maps.map(({ name }) => name) }

  /** How far it has come. */
  get progress () {
    return { map: this.#maps[this.#started - 1]?.name, maps: this.#started, entries: this.#entries }
  }

  /**
   * Each map with its groups, which are to be read before the next map is.
   *
   * @returns {Generator<{ name: string, groups: Generator<Group> }>} sorted by the bytes of their names
   */
  * maps () {
    for (const { name, number } of this.#maps) {
      this.#started++
      yield { name, groups: this.#groupsOf(number) }
    }
  }

  /** @param {number} number @returns {Generator<Group>} */
  * #groupsOf (number) {
    this.#iterator = binding.iterator(this.#pool, number, FLAGS, undefined, undefined, -1, this.#snapshot)
    for (;;) {
      const page = binding.next(this.#iterator, MOST)
      if (new Uint32Array(page, 0, 1)[0] === 0) break
      for (const group of split(page)) {
        this.#entries += group.lengths.length / 2
        yield group
      }
    }
    this.#closeIterator()
  }

  #closeIterator () {
    if (this.#iterator !== undefined) binding.closeIterator(this.#iterator)
    this.#iterator = undefined
  }

  /** Closing twice is allowed. */
  close () {
    this.#closeIterator()
    this.#own?.close()
  }
}

/**
 * Cuts a page of the addon (src/binding/base/bytes.h has its layout) into groups, without a copy.
 *
 * @param {ArrayBuffer} page
 * @returns {Generator<Group>}
 */
function * split (page) {
  const lengths = new Uint32Array(page, 4, new Uint32Array(page, 0, 1)[0])
  /** @param {number} from @param {number} to @param {number} start @param {number} end @param {boolean} large */
  const group = (from, to, start, end, large) =>
    ({ lengths: lengths.subarray(from, to), bytes: Buffer.from(page, start, end - start), large })
  let [from, start] = [0, 4 + lengths.byteLength]
  let end = start
  for (let i = 0; i < lengths.length; i += 2) {
    const size = lengths[i] + lengths[i + 1]
    const large = lengths[i + 1] > LARGE
    if (i > from && (large || end - start >= GROUP)) {
      yield group(from, i, start, end, false)
      from = i
      start = end
    }
    end += size
    if (large) {
      yield group(i, i + 2, start, end, true)
      from = i + 2
      start = end
    }
  }
  if (from < lengths.length) yield group(from, lengths.length, start, end, false)
}

module.exports = { SnapshotWalk }
