'use strict'

const { Turn, carryExact, carryNames, carryText, parseMarked, setOwn } = require('@potoroo/document-store')
const { createError } = require('@potoroo/errors')
const { ContainerText } = require('./container-text')
const { Scanner } = require('./scanner')
const { assertWhole, decode } = require('./text')

/** Bytes that are scanned between two looks at the clock. */
const STEP = 128 * 1024

/** Bytes of a document above which it carries its text along: it takes some milliseconds to make that of a smaller one. */
const LARGE = 256 * 1024

/**
 * The same as `parseJson`, piece by piece, so that others get their turns in between. Large objects carry
 * the names of their members along, and large documents their text: see `carryNames` and `carryText`.
 *
 * @param {Buffer} bytes
 * @param {number} [documents] containers around those that are documents: none around one by itself, two where
 *   they are a list of an object
 * @returns {Promise<any>}
 * @throws bad_request "invalid UTF-8 JSON", or where it is nested too deeply
 */
async function parseLargeJson (bytes, documents = Infinity) {
  try {
    const turn = new Turn()
    const scanner = new Scanner(bytes)
    while (scanner.scan(STEP)) if (turn.isLong) await turn.end()
    const { value, marked } = scanner.root === null ? parsePiece(decode(bytes)) : await assemble(bytes, scanner, turn, documents)
    if (marked !== value) carryExact(value, marked)
    return value
  } catch (cause) {
    throw cause instanceof SyntaxError || cause instanceof TypeError ? createError('INVALID_JSON', { cause }) : cause
  }
}

/** A piece is JSON by itself. @returns {{ value: any, marked: any }} as of `parseMarked` */
function parsePiece (text) {
  const piece = parseMarked(text)
  assertWhole(text, piece.value)
  return piece
}

async function assemble (bytes, scanner, turn, documents) {
  /** @type {Container[]} those that lie in each other, the outermost first */
  const open = [new Container(bytes, scanner, scanner.root, documents === 0)]
  for (;;) {
    const last = open[open.length - 1]
    const inner = last.next(open.length === documents)
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

/** A large container as it grows. */
class Container {
  #bytes
  #scanner
  #isArray
  #parts
  #next = 0
  /** Of the container that comes next, in an object. */
  #name = ''
  /** Of its members, in an object. @type {string[]} */
  #names = []
  /** Names that came again → the last part that has them. @type {Map<string, number>} */
  #repeated = new Map()
  #isDocument
  /** Null where nobody needs it. @type {ContainerText | null} */
  #text
  value
  /** The same with integers as they came, once there is one that JavaScript's numbers cannot hold. */
  marked

  /**
   * @param {Buffer} bytes
   * @param {Scanner} scanner
   * @param {any} large a `Large`
   * @param {boolean} mayBeDocument
   * @param {boolean} [inDocument] in one that carries its text
   */
  constructor (bytes, scanner, { isArray, parts, length }, mayBeDocument, inDocument = false) {
    this.#bytes = bytes
    this.#scanner = scanner
    this.#isArray = isArray
    this.#parts = parts
    this.#isDocument = mayBeDocument && !isArray && length > LARGE
    this.#text = this.#isDocument || inDocument ? new ContainerText({ isArray, isDocument: this.#isDocument }) : null
    this.value = this.marked = isArray ? [] : {}
  }

  get done () { return this.#next === this.#parts.length }

  /**
   * Adds its next part.
   *
   * @param {boolean} mayBeDocument whether a container that it is may be a document
   * @returns {Container | null} what that is, where it is a container that has to be filled first
   */
  next (mayBeDocument) {
    if (this.done) return null
    const { from, to, large } = this.#parts[this.#next++]
    if (large === null) this.#addGroup(this.#parseGroup(from, to))
    else if (this.#isArray) this.#scanner.requireBlank(from, to)
    else this.#name = nameOf(decode(this.#bytes.subarray(from, to)))
    return large === null ? null : new Container(this.#bytes, this.#scanner, large, mayBeDocument, this.#text !== null)
  }

  #parseGroup (from, to) {
    const text = decode(this.#bytes.subarray(from, to))
    return parsePiece(this.#isArray ? `[${text}]` : `{${text}}`)
  }

  #addGroup ({ value, marked }) {
    const names = Object.keys(value)
    // A comma stands before nothing.
    if (names.length === 0 && this.#parts.length > 1) throw new SyntaxError('Unexpected comma')
    this.#separate(value, marked)
    if (this.#isArray) for (let i = 0; i < value.length; i++) this.#push(value[i], marked[i])
    else for (const name of names) this.#set(name, value[name], marked[name])
    this.#text?.addGroup(marked, names)
  }

  /** @param {Container} container that is full */
  addContainer (container) {
    const { value, marked } = container
    this.#separate(value, marked)
    if (this.#isArray) this.#push(value, marked)
    else this.#set(this.#name, value, marked)
    this.#text?.addContainer(this.#name, /** @type {ContainerText} */ (container.#text))
  }

  /** Two containers from now on, if the values are two. */
  #separate (value, marked) {
    if (value === marked || this.value !== this.marked) return
    this.marked = this.#isArray ? this.value.slice() : copyOf(this.value)
  }

  #push (value, marked) {
    this.value.push(value)
    if (this.marked !== this.value) this.marked.push(marked)
  }

  #set (name, value, marked) {
    if (Object.hasOwn(this.value, name)) this.#repeated.set(name, this.#next - 1)
    else this.#names.push(name)
    setOwn(this.value, name, value)
    if (this.marked !== this.value) setOwn(this.marked, name, marked)
  }

  /** Has the value carry what is known of it now that it is full. @param {Turn} turn */
  async finish (turn) {
    if (this.#text !== null && this.#repeated.size > 0) await this.#dropRepeated(this.#text, turn)
    if (!this.#isArray) carryNames(this.value, this.#names)
    if (this.#isDocument) carryText(this.value, /** @type {ContainerText} */ (this.#text).carried)
  }

  /** The last word counts. */
  async #dropRepeated (text, turn) {
    for (let i = 0; i < this.#parts.length; i++) {
      const { from, to, large } = this.#parts[i]
      const isOld = name => (this.#repeated.get(name) ?? i) !== i
      if (large !== null) {
        if (isOld(nameOf(decode(this.#bytes.subarray(from, to))))) text.remove(i)
      } else {
        const { marked } = this.#parseGroup(from, to)
        const kept = Object.entries(marked).filter(([name]) => !isOld(name))
        text.replace(i, Object.fromEntries(kept))
      }
      if (turn.isLong) await turn.end()
    }
  }
}

/** The name before a container: `"name":`. */
function nameOf (text) {
  const { value } = parsePiece(`{${text}[]}`)
  return Object.keys(value)[0]
}

function copyOf (object) {
  const copy = {}
  for (const name of Object.keys(object)) setOwn(copy, name, object[name])
  return copy
}

module.exports = { parseLargeJson }
