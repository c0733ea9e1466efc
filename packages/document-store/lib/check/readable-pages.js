'use strict'

/**
 * @import { Range } from '../media/keyspace'
 */

const PAGE = 256

/**
 * A key from which something is damaged: a value, whose key is known, or a page of keys that are not.
 *
 * @typedef {{ kind: 'page' | 'key' | 'value', key: string, bytes: Buffer }} Fault
 *
 * @typedef {{ gte?: string, lt?: string }} Bounds
 * @typedef {string | [string, string]} Item a key, or an entry
 */

/**
 * Iterates a level by pages.
 *
 * @template T
 * @typedef {{ nextv (size: number): Promise<T[]>, close (): Promise<void> }} Pages
 */

/** Whether an error says that what is stored is damaged; with others nothing more can be read. */
function isDamage (/** @type {any} */ error) {
  return error.code === 'LEVEL_CORRUPTION' || error.cause?.code === 'LEVEL_CORRUPTION'
}

/**
 * Reads a range by pages, and leaves out what is damaged.
 *
 * @template {Item} T
 * @param {(range: Range) => Pages<T>} open gives an iterator of entries or keys
 * @param {Bounds} range
 * @param {{ faults: Fault[], onGap: (from: string, to: string | null) => void, turn?: () => Promise<void> }} options `faults`:
 *   known ones, in the order of keys; `onGap` is told of keys before and after some that cannot be read; `turn` after
 *   each page
 * @returns {AsyncGenerator<T[], void>}
 */
async function * readablePages (open, range, { faults, onGap, turn = async () => {} }) {
  let from = range.gte ?? ''
  for (let rest = range; ;) {
    const { ended, last } = yield * untilDamage(open, rest, turn)
    if (ended) return
    if (last !== null) rest = above(rest, last)
    from = last ?? from
    const [fault, following] = faults.filter(({ bytes }) => isWithin(bytes, rest))
    if (fault?.kind === 'value') {
      rest = above(rest, fault.key)
      from = fault.key
      continue
    }
    const next = await lowestReadable(open, following === undefined ? rest : { ...rest, lt: following.key }) ?? following?.key ?? null
    onGap(from, next)
    if (next === null) return
    rest = { gte: next, lt: range.lt }
  }
}

/**
 * @template {Item} T
 * @param {(range: Range) => Pages<T>} open
 * @param {Bounds} range
 * @param {() => Promise<void>} turn
 * @returns {AsyncGenerator<T[], { ended: boolean, last: string | null }>} last: the key of what was read last
 */
async function * untilDamage (open, range, turn) {
  /** @type {string | null} */
  let last = null
  // A page of many is lost with one of them.
  for (const size of [PAGE, 1]) {
    const iterator = open(last === null ? range : above(range, last))
    try {
      for (let page = await nextPage(iterator, size); page !== null; page = await nextPage(iterator, size)) {
        if (page.length === 0) return { ended: true, last }
        last = keyOf(page[page.length - 1])
        yield page
        await turn()
      }
    } finally {
      await iterator.close()
    }
  }
  return { ended: false, last }
}

/**
 * Returns the lowest key above all that is damaged; null where the highest is.
 *
 * @template {Item} T
 * @param {(range: Range) => Pages<T>} open
 * @param {Bounds} range
 */
async function lowestReadable (open, range) {
  let lowest = null
  for (const size of [PAGE, 1]) {
    const iterator = open({ ...range, ...lowest !== null && { lt: lowest }, reverse: true })
    try {
      for (let page = await nextPage(iterator, size); page !== null && page.length > 0; page = await nextPage(iterator, size)) lowest = keyOf(page[page.length - 1])
    } finally {
      await iterator.close()
    }
  }
  return lowest
}

/**
 * Reads a page; null where part of it is damaged.
 *
 * @template T
 * @param {Pages<T>} iterator
 * @param {number} size
 */
async function nextPage (iterator, size) {
  try {
    return await iterator.nextv(size)
  } catch (error) {
    if (!isDamage(error)) throw error
    return null
  }
}

/**
 * Begins behind the key itself: with `gt` a level may read what it leaves out.
 *
 * @param {Bounds} range
 * @param {string} key
 */
function above ({ lt }, key) { return { gte: `${key}\0`, lt } }

/** @param {Buffer} bytes @param {Bounds} range */
function isWithin (bytes, { gte, lt }) {
  return !(gte !== undefined && Buffer.compare(bytes, Buffer.from(gte)) < 0) && !(lt !== undefined && Buffer.compare(bytes, Buffer.from(lt)) >= 0)
}

/** @param {Item} item */
function keyOf (item) { return typeof item === 'string' ? item : item[0] }

module.exports = { isDamage, readablePages }
