'use strict'

const { badRequest } = require('@potoroo/errors')

/** Bytes of a group: parsing one takes about a millisecond. */
const GROUP = 64 * 1024

/** Containers in each other. Whoever walks or writes a value has a stack that ends. */
const DEEPEST = 10_000

const [QUOTE, BACKSLASH, COMMA] = [34, 92, 44]
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [91, 93, 123, 125]

/** There is no group, as a large container was the last item. */
const NONE = -1

/**
 * A container of more than a group's bytes, in parts: groups of items, and large containers.
 *
 * @typedef {object} Large
 * @property {boolean} isArray
 * @property {Part[]} parts
 * @property {number} length bytes, once it is closed
 *
 * @typedef {object} Part
 * @property {number} from
 * @property {number} to of the group's bytes; with `large`, of those before it: the member's name
 * @property {Large | null} large
 */

/**
 * Finds where a JSON text can be taken apart, so that each piece is parsed by itself. It knows of
 * strings, brackets and commas alone; what else is wrong is wrong in a piece, too.
 */
class Scanner {
  #bytes
  #at = 0
  #inString = false
  #depth = -1
  /** For each open container: where it begins, its current item, and its current group. */
  #starts = [0]
  #items = [0]
  #groups = [0]
  #closers = [0]
  /** @type {Array<Large | null>} */
  #larges = [null]
  /** The end of the outermost container, -1 before. */
  #end = -1
  #start = 0
  /** @type {Large | null} null: the whole is one piece */
  root = null

  /** @param {Buffer} bytes */
  constructor (bytes) {
    this.#bytes = bytes
  }

  /**
   * Goes on for some bytes.
   *
   * @param {number} count
   * @returns {boolean} whether there is more
   * @throws SyntaxError; bad_request where it is nested too deeply
   */
  scan (count) {
    const bytes = this.#bytes
    const end = Math.min(this.#at + count, bytes.length)
    let at = this.#at
    while (at < end) {
      if (this.#inString) {
        at = this.#string(at, end)
        continue
      }
      const byte = bytes[at]
      if (byte === QUOTE) this.#inString = true
      else if (byte === COMMA) this.#comma(at)
      else if (byte === OPEN_OBJECT) this.#open(at, CLOSE_OBJECT)
      else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) this.#close(at, byte)
      else if (byte === OPEN_ARRAY) this.#open(at, CLOSE_ARRAY)
      at++
    }
    this.#at = at
    if (at < bytes.length) return true
    this.#finish()
    return false
  }

  /**
   * Goes through a string up to its end.
   *
   * @param {number} at
   * @param {number} end
   * @returns {number}
   */
  #string (at, end) {
    const bytes = this.#bytes
    while (at < end) {
      const byte = bytes[at++]
      if (byte === QUOTE) {
        this.#inString = false
        return at
      }
      if (byte === BACKSLASH) at++
    }
    return at
  }

  /** @param {number} at @param {number} closer */
  #open (at, closer) {
    if (++this.#depth === 0) {
      if (this.#end !== -1) throw new SyntaxError('More than one value')
      this.#start = at
    }
    if (this.#depth > DEEPEST) throw badRequest('JSON is nested too deeply')
    this.#starts[this.#depth] = at
    this.#items[this.#depth] = this.#groups[this.#depth] = at + 1
    this.#closers[this.#depth] = closer
    this.#larges[this.#depth] = null
  }

  /** @param {number} at */
  #comma (at) {
    const depth = this.#depth
    if (depth < 0) throw new SyntaxError('A comma outside of a list')
    const group = this.#groups[depth]
    if (group === NONE) {
      this.requireBlank(this.#items[depth], at)
      this.#groups[depth] = at + 1
    } else if (at - group >= GROUP) {
      this.#large(depth).parts.push({ from: group, to: at, large: null })
      this.#groups[depth] = at + 1
    }
    this.#items[depth] = at + 1
  }

  /** @param {number} at @param {number} closer */
  #close (at, closer) {
    const depth = this.#depth--
    if (depth < 0 || this.#closers[depth] !== closer) throw new SyntaxError('A bracket that closes nothing')
    if (depth === 0) this.#end = at + 1
    if (at - this.#starts[depth] <= GROUP) return
    const large = this.#large(depth)
    large.length = at + 1 - this.#starts[depth]
    const group = this.#groups[depth]
    if (group === NONE) this.requireBlank(this.#items[depth], at)
    else large.parts.push({ from: group, to: at, large: null })
    if (depth === 0) this.root = large
    else this.#add(depth - 1, this.#starts[depth], at + 1, large)
  }

  /**
   * A large container is an item of another one.
   *
   * @param {number} depth
   * @param {number} start
   * @param {number} end
   * @param {Large} large
   */
  #add (depth, start, end, large) {
    const { parts } = this.#large(depth)
    const group = this.#groups[depth]
    const item = this.#items[depth]
    if (group === NONE) throw new SyntaxError('No comma between two items')
    if (group < item) parts.push({ from: group, to: item - 1, large: null })
    parts.push({ from: item, to: start, large })
    this.#items[depth] = end
    this.#groups[depth] = NONE
  }

  /** @param {number} depth @returns {Large} */
  #large (depth) {
    this.#larges[depth] ??= { isArray: this.#closers[depth] === CLOSE_ARRAY, parts: [], length: 0 }
    return this.#larges[depth]
  }

  #finish () {
    if (this.#inString || this.#depth !== -1) throw new SyntaxError('Unexpected end')
    if (this.root === null) return
    this.requireBlank(0, this.#start)
    this.requireBlank(this.#end, this.#bytes.length)
  }

  /** @throws SyntaxError unless there is nothing but white space @param {number} from @param {number} to */
  requireBlank (from, to) {
    for (let at = from; at < to; at++) {
      const byte = this.#bytes[at]
      if (byte !== 32 && byte !== 10 && byte !== 13 && byte !== 9) throw new SyntaxError('Unexpected token')
    }
  }
}

module.exports = { Scanner }
