'use strict'

const { Turn, carryExact, parseMarked, setOwn } = require('@potoroo/document-store')
const { createError } = require('@potoroo/errors')
const { Scanner } = require('./scanner')
const { assertWhole, decode } = require('./text')

/** Bytes that are scanned between two looks at the clock. */
const STEP = 128 * 1024

/**
 * The same as `parseJson`, piece by piece, so that others get their turns in between.
 *
 * @param {Buffer} bytes
 * @returns {Promise<any>}
 * @throws bad_request "invalid UTF-8 JSON", or where it is nested too deeply
 */
async function parseLargeJson (bytes) {
  try {
    const turn = new Turn()
    const scanner = new Scanner(bytes)
    while (scanner.scan(STEP)) if (turn.isLong) await turn.end()
    const { value, marked } = scanner.root === null ? parsePiece(decode(bytes)) : await assemble(bytes, scanner, turn)
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

async function assemble (bytes, scanner, turn) {
  /** @type {Container[]} those that lie in each other, the outermost first */
  const open = [new Container(bytes, scanner, scanner.root)]
  for (;;) {
    const last = open[open.length - 1]
    const inner = last.next()
    if (inner !== null) open.push(inner)
    else if (last.done) {
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
  value
  /** The same with integers as they came, once there is one that JavaScript's numbers cannot hold. */
  marked

  /** @param {Buffer} bytes @param {Scanner} scanner @param {any} large a `Large` */
  constructor (bytes, scanner, { isArray, parts }) {
    this.#bytes = bytes
    this.#scanner = scanner
    this.#isArray = isArray
    this.#parts = parts
    this.value = this.marked = isArray ? [] : {}
  }

  get done () { return this.#next === this.#parts.length }

  /** Adds its next part. @returns {Container | null} what that is, where it is a container that has to be filled first */
  next () {
    if (this.done) return null
    const { from, to, large } = this.#parts[this.#next++]
    if (large === null) this.#addGroup(decode(this.#bytes.subarray(from, to)))
    else if (this.#isArray) this.#scanner.requireBlank(from, to)
    else this.#name = nameOf(decode(this.#bytes.subarray(from, to)))
    return large === null ? null : new Container(this.#bytes, this.#scanner, large)
  }

  #addGroup (text) {
    const { value, marked } = parsePiece(this.#isArray ? `[${text}]` : `{${text}}`)
    const names = Object.keys(value)
    // A comma stands before nothing.
    if (names.length === 0 && this.#parts.length > 1) throw new SyntaxError('Unexpected comma')
    this.#separate(value, marked)
    if (this.#isArray) for (let i = 0; i < value.length; i++) this.#push(value[i], marked[i])
    else for (const name of names) this.#set(name, value[name], marked[name])
  }

  /** @param {Container} container that is full */
  addContainer ({ value, marked }) {
    this.#separate(value, marked)
    if (this.#isArray) this.#push(value, marked)
    else this.#set(this.#name, value, marked)
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
    setOwn(this.value, name, value)
    if (this.marked !== this.value) setOwn(this.marked, name, marked)
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
