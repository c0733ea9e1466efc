'use strict'

const { createError } = require('@potoroo/errors')
const { carryNames, carryText } = require('../json/carried-text')
const { carryExact, parseMarked } = require('../json/exact-json')
const { isBodyMember } = require('../json/members')
const { carryAttachmentNames, namesInText } = require('../json/sent-names')
const { carrySent } = require('../json/sent-text')
const { setOwn } = require('../json/set-own')
const { Turn } = require('../json/turn')
const { ContainerText } = require('./container-text')
const { Scanner } = require('./scanner')
const { assertWhole, decode } = require('./text')

/** @typedef {{ value: any, marked: any }} Piece as of `parseMarked` */

/** Bytes that are scanned between two looks at the clock. */
const STEP = 128 * 1024

/** Bytes of a document above which others get their turns in between. */
const LARGE = 256 * 1024

/**
 * The same as `parseJson`, piece by piece, so that others get their turns in between. Large objects carry
 * the names of their members along: see `carryNames`.
 *
 * @param {Buffer} bytes
 * @param {number} [documents] containers around those that are documents: none around one by itself, two where
 *   they are a list of an object
 * @param {number} [most] characters of a document's text: of one that is longer, which is to be refused, the rest is
 *   left out
 * @returns {Promise<any>}
 * @throws bad_request "invalid UTF-8 JSON", or where it is nested too deeply
 */
async function parseLargeJson (bytes, documents = Infinity, most = Infinity) {
  try {
    return await parse(bytes, parsePiece, documents, most)
  } catch (cause) {
    throw cause instanceof SyntaxError || cause instanceof TypeError ? createError('INVALID_JSON', { cause }) : cause
  }
}

/**
 * The same of JSON that is no request's: JSON.parse, in turns.
 *
 * @param {string} text
 * @param {{ exact?: boolean, documents?: number }} [options] exact: whether it carries integers along that JavaScript
 *   does not know; documents: containers around those that carry their text, as above
 * @returns {Promise<any>}
 */
function parseInTurns (text, { exact = false, documents = Infinity } = {}) {
  return parse(Buffer.from(text), exact ? parseMarked : parsePlain, documents, Infinity)
}

/**
 * The same, in one go where that is short.
 *
 * @param {string} text
 * @param {{ documents?: number }} [options]
 * @returns {any} a promise of a large one
 */
function parseText (text, options) { return text.length <= LARGE ? JSON.parse(text) : parseInTurns(text, options) }

/** @param {Buffer} bytes @param {(text: string) => Piece} parsePart @param {number} documents @param {number} most */
async function parse (bytes, parsePart, documents, most) {
  const turn = new Turn()
  const scanner = new Scanner(bytes)
  while (scanner.scan(STEP)) if (turn.isLong) await turn.end()
  const { value, marked } = scanner.root === null ? parseWhole(decode(bytes), parsePart, documents) : await assemble({ bytes, scanner, parsePart }, turn, documents, most)
  if (marked !== value) carryExact(value, marked)
  return value
}

/** @param {string} text */
function parsePlain (text) {
  const value = JSON.parse(text)
  return { value, marked: value }
}

/**
 * A piece is JSON by itself.
 *
 * @param {string} text
 * @returns {{ value: any, marked: any }} as of `parseMarked`
 */
function parsePiece (text) {
  const piece = parseMarked(text)
  assertWhole(text, piece.value)
  return piece
}

/** @param {string} text @param {(text: string) => Piece} parsePart @param {number} documents */
function parseWhole (text, parsePart, documents) {
  const piece = parsePart(text)
  if (documents !== Infinity) carrySent(piece.value, text, documents)
  return piece
}

/**
 * The source that containers are made of.
 * @typedef {{ bytes: Buffer, scanner: Scanner, parsePart: (text: string) => Piece }} Source
 */

/** @param {Source} source @param {Turn} turn @param {number} documents @param {number} most */
async function assemble (source, turn, documents, most) {
  /** @param {number} depth */
  const roomAt = depth => depth === documents ? { left: most } : null
  /** @type {Container[]} those that lie in each other, the outermost first */
  const open = [new Container(source, /** @type {import('./scanner').Large} */ (source.scanner.root), roomAt(0), null)]
  for (;;) {
    const last = open[open.length - 1]
    const inner = last.next(roomAt(open.length))
    if (inner !== null) open.push(inner)
    else if (last.done) {
      await last.finish(turn)
      open.pop()
      if (open.length === 0) return last
      open[open.length - 1].addContainer(last)
    }
    if (turn.isLong) await turn.end()
  }
}

/** A document without room carries this. */
const TOO_LONG = { body: '', special: [], bytes: Infinity }

/** Characters that a document's text may still have. @typedef {{ left: number }} Room */

/** A large container as it grows. */
class Container {
  #source
  #isArray
  #parts
  #next = 0
  /** The name of the container that comes next, in an object. */
  #name = ''
  /** The names of its members, in an object. @type {string[]} */
  #names = []
  /** Names that came again → the last part that has them. @type {Map<string, number>} */
  #repeated = new Map()
  #isDocument
  /** The room of the document that it is, or is in, where that carries its text. @type {Room | null} */
  #room
  /** Null where nobody needs it. @type {ContainerText | null} */
  #text
  /** @type {any} */
  value
  /** The same with integers as they came, once there is one that JavaScript's numbers cannot hold. @type {any} */
  marked

  /**
   * @param {Source} source
   * @param {import('./scanner').Large} large
   * @param {Room | null} own null where it cannot be a document
   * @param {Room | null} outer of the document that it is in
   */
  constructor (source, { isArray, parts }, own, outer) {
    this.#source = source
    this.#isArray = isArray
    this.#parts = parts
    this.#isDocument = own !== null && !isArray
    this.#room = this.#isDocument ? own : outer
    this.#text = this.#room !== null ? new ContainerText({ isArray, isDocument: this.#isDocument }) : null
    this.value = this.marked = isArray ? [] : {}
  }

  get done () { return this.#next === this.#parts.length }

  /**
   * Adds its next part.
   *
   * @param {Room | null} own of a container that it is, where that may be a document
   * @returns {Container | null} what that is, where it is a container that has to be filled first
   */
  next (own) {
    if (this.done) return null
    const { from, to, large } = this.#parts[this.#next++]
    if (large === null) this.#addGroup(this.#parseGroup(from, to), own !== null)
    else if (this.#isArray) this.#source.scanner.requireBlank(from, to)
    else this.#name = this.#nameAt(from, to)
    return large === null ? null : new Container(this.#source, large, own, this.#isSpecial(this.#name) ? null : this.#room)
  }

  /**
   * Whether it is a member that is not in the text.
   *
   * @param {string} name
   */
  #isSpecial (name) { return this.#isDocument && !isBodyMember(name) }

  get #isOver () { return this.#room !== null && this.#room.left < 0 }

  /** @param {number} from @param {number} to */
  #textAt (from, to) { return decode(this.#source.bytes.subarray(from, to)) }

  /**
   * The name before a container: `"name":`.
   *
   * @param {number} from
   * @param {number} to
   */
  #nameAt (from, to) {
    const { value } = this.#source.parsePart(`{${this.#textAt(from, to)}[]}`)
    return Object.keys(value)[0]
  }

  /** @param {number} from @param {number} to */
  #parseGroup (from, to) {
    const group = this.#textAt(from, to)
    const text = this.#isArray ? `[${group}]` : `{${group}}`
    return { text, ...this.#source.parsePart(text) }
  }

  /** @param {Piece & { text: string }} options @param {boolean} areDocuments */
  #addGroup ({ text, value, marked }, areDocuments) {
    const names = this.#isArray ? Object.keys(value) : namesInText(value, text)
    // A comma stands before nothing.
    if (names.length === 0 && this.#parts.length > 1) throw new SyntaxError('Unexpected comma')
    this.#separate(value, marked)
    if (this.#isArray) for (let i = 0; i < value.length; i++) this.#push(value[i], marked[i])
    else for (const name of names) this.#set(name, value[name], marked[name])
    if (areDocuments && this.#isArray) carrySent(value, text, 1)
    else if (this.#isDocument) carryAttachmentNames(value, text, 0)
    if (this.#text !== null && !this.#isOver) /** @type {Room} */ (this.#room).left -= this.#text.addGroup(value, names, text)
  }

  /** @param {Container} container that is full */
  addContainer (container) {
    const { value, marked } = container
    this.#separate(value, marked)
    if (this.#isArray) this.#push(value, marked)
    else this.#set(this.#name, value, marked)
    if (!this.#isOver) this.#text?.addContainer(this.#isArray ? '' : this.#name, container.#text)
  }

  /**
   * Two containers from now on, if the values are two.
   *
   * @param {any} value
   * @param {any} marked
   */
  #separate (value, marked) {
    if (value === marked || this.value !== this.marked) return
    this.marked = this.#isArray ? this.value.slice() : copyOf(this.value)
  }

  /** @param {any} value @param {any} marked */
  #push (value, marked) {
    if (this.#isOver) return
    this.value.push(value)
    if (this.marked !== this.value) this.marked.push(marked)
  }

  /** @param {string} name @param {any} value @param {any} marked */
  #set (name, value, marked) {
    if (this.#isOver && !this.#isSpecial(name)) return
    if (Object.hasOwn(this.value, name)) this.#repeated.set(name, this.#next - 1)
    else this.#names.push(name)
    setOwn(this.value, name, value)
    if (this.marked !== this.value) setOwn(this.marked, name, marked)
  }

  /** Has the value carry what is known of it now that it is full. @param {Turn} turn */
  async finish (turn) {
    if (this.#text !== null && this.#repeated.size > 0 && !this.#isOver) await this.#dropRepeated(this.#text, turn)
    if (!this.#isArray) carryNames(this.value, this.#names)
    if (!this.#isArray && this.marked !== this.value) carryNames(this.marked, this.#names)
    if (this.#isDocument) carryText(this.value, this.#isOver ? TOO_LONG : /** @type {ContainerText} */ (this.#text).carried)
  }

  /**
   * The last word counts.
   *
   * @param {ContainerText} text
   * @param {Turn} turn
   */
  async #dropRepeated (text, turn) {
    for (let i = 0; i < this.#parts.length; i++) {
      const { from, to, large } = this.#parts[i]
      /** @param {string} name */
      const isOld = name => (this.#repeated.get(name) ?? i) !== i
      if (large !== null) {
        if (isOld(this.#nameAt(from, to))) text.remove(i)
      } else {
        const group = this.#parseGroup(from, to)
        text.keep(i, group.value, group.text, /** @param {string} name */ name => !isOld(name))
      }
      if (turn.isLong) await turn.end()
    }
  }
}

/** @param {Record<string, any>} object */
function copyOf (object) {
  /** @type {Record<string, any>} */
  const copy = {}
  for (const name of Object.keys(object)) setOwn(copy, name, object[name])
  return copy
}

module.exports = { LARGE, parseLargeJson, parseInTurns, parseText }
