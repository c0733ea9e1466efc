'use strict'

const { parse } = require('acorn')
const { NOT_PLAIN, Scope } = require('./scope')
const { compileFunction } = require('./statements')
const { DOUBT, doubt } = require('./values')

/**
 * Map functions, and functions of text indexes, that do so little that no sandbox is needed to hold them: they compare and emit members of documents,
 * and call nothing. They are compiled to closures, as selectors are, and become no code. Their source and the
 * document limit how much they do. If the sandbox might do anything else with a batch, it gets the batch.
 *
 * @typedef {Array<Array<[any, any]>>} Views rows of a document, for each function
 * @typedef {{ docs: any[], longest: number, rows: number, bytes: number }} Batch longest: UTF-16 units of a document's text at most;
 *   rows, bytes: of a document in one view at most
 */

/** UTF-16 units of a function. */
const LONGEST_SOURCE = 10_000

/** Brackets of a function that open: far fewer than the sandbox can take one within another. */
const MOST_BRACKETS = 500

/** Comments in the form of HTML's, which engines read in their own ways. */
const MARKUP = /<!--|-->/

/** UTF-16 units of a batch. One document may be longer than a batch usually is, and the sandbox has a limit for its memory. */
const LONGEST_BATCH = 2 * 1024 * 1024

/** Turns that the loops of a function take with one document. */
const MOST_STEPS = 10_000

/** UTF-16 units of a document that cannot be nested deeper than the sandbox takes, and how deep is not looked at. */
const SHALLOW = 1000
const DEEP = 200

/** How many times as long a value may be as JSON as it was in its document: `1e20`, and characters that JSON escapes. */
const GROWTH = 6

/** Milliseconds that a batch takes at most. The sandbox then has a limit for each document. */
const LONG = 500

/** Batches that were left to the sandbox, after which all are. */
const MOST_DOUBTS = 3

class PlainFunctions {
  #functions
  #unit
  #doubts = 0

  /** @param {Array<{ call: (frame: import('./expressions').Frame) => boolean, count: number, slot: number }>} functions @param {number} unit units of the longest source */
  constructor (functions, unit) {
    this.#functions = functions
    this.#unit = unit
  }

  /**
   * @param {string} json of a batch
   * @returns {Views[] | undefined} undefined: only the sandbox knows
   */
  map (json) {
    if (this.#doubts === MOST_DOUBTS || json.length > LONGEST_BATCH) return undefined
    const views = this.#tryAll(json)
    if (views === undefined) this.#doubts++
    return views
  }

  /** @param {string} json */
  #tryAll (json) {
    /** @type {Batch} */
    const { docs, longest, rows, bytes } = JSON.parse(json)
    if (longest > SHALLOW && isDeep(json)) return undefined
    const weight = Math.floor(bytes / GROWTH / Math.max(longest, this.#unit))
    const end = performance.now() + LONG
    try {
      return docs.map(doc => performance.now() > end ? doubt() : this.#mapOne(doc, rows, weight, end))
    } catch (error) {
      // A text may be too long for any engine.
      if (error !== DOUBT && !(error instanceof RangeError)) throw error
      return undefined
    }
  }

  /** @param {any} doc @param {number} mostRows @param {number} left @param {number} end @returns {Views} */
  #mapOne (doc, mostRows, left, end) {
    const views = new Array(this.#functions.length)
    for (let i = 0; i < views.length; i++) {
      const { call, count, slot } = this.#functions[i]
      const frame = { slots: new Array(count), rows: [], mostRows, left, steps: MOST_STEPS, end }
      frame.slots[slot] = doc
      call(frame)
      views[i] = frame.rows
    }
    return views
  }
}

/**
 * Tells whether something in a JSON text is nested deeply.
 * @param {string} json
 */
function isDeep (json) {
  for (let at = 0, depth = 0; at < json.length; at++) {
    const unit = json.charCodeAt(at)
    if (unit === QUOTE) at = endOfText(json, at)
    else if ((unit | 0x20) === OPEN && ++depth > DEEP) return true
    else if ((unit | 0x20) === CLOSED) depth--
  }
  return false
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
/** `{` and `[`, `}` and `]`, which differ in one bit. */
const OPEN = 0x7b
const CLOSED = 0x7d

/** @param {string} json @param {number} start of a text @returns {number} its last quote */
function endOfText (json, start) {
  for (let at = start; ;) {
    at = json.indexOf('"', at + 1)
    let before = at - 1
    while (json.charCodeAt(before) === BACKSLASH) before--
    // A quote is escaped by an odd number of them.
    if ((at - before) % 2 === 1) return at
  }
}

/**
 * @param {{ sources: any[], language?: string, indexes?: import('./index-calls').Dialect }} program
 * @returns {PlainFunctions | null} null: they are for the sandbox
 */
function compilePlain ({ sources, language, indexes }) {
  if (language !== undefined) return null
  try {
    return new PlainFunctions(sources.map(source => compileSource(source, indexes)), Math.max(...sources.map(source => source.length)))
  } catch (error) {
    // Nested too deeply for the stack, too.
    if (error === NOT_PLAIN || error instanceof SyntaxError || error instanceof RangeError) return null
    throw error
  }
}

/** @param {any} source @param {import('./index-calls').Dialect} [indexes] */
function compileSource (source, indexes) {
  if (typeof source !== 'string' || source.length > LONGEST_SOURCE || MARKUP.test(source)) throw NOT_PLAIN
  if (source.split(/[[({]/).length > MOST_BRACKETS) throw NOT_PLAIN
  const { body } = /** @type {any} */ (parse(`(${withoutEnd(source)}\n)`, { ecmaVersion: 2020 }))
  if (body.length !== 1 || body[0].type !== 'ExpressionStatement') throw NOT_PLAIN
  const scope = new Scope(null, 0, indexes)
  const { slots, call } = compileFunction(body[0].expression, scope, [1])
  return { call, count: scope.slots, slot: slots[0] }
}

/** The sandbox takes a function without the semicolons behind it, too. @param {string} source */
function withoutEnd (source) {
  let text = source.trimEnd()
  while (text.endsWith(';')) text = text.slice(0, -1).trimEnd()
  return text
}

module.exports = { PlainFunctions, compilePlain }
