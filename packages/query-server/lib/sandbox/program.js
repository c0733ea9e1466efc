'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { DefaultIntrinsics } = require('quickjs-emscripten')

/** Programs that run in each context before a stranger's code does, in this order. */
const preludes = ['prelude.js', 'prelude-map.js', 'prelude-index.js', 'media-types.js', 'prelude-render.js', 'prelude-call.js'].map(name => ({ name, source: fs.readFileSync(path.join(__dirname, name), 'utf8') }))

/** Bytes of QuickJS's own count; the thread's stack (see thread.js) has room for it. */
const STACK = 256 * 1024

/** As CouchDB's functions have it: nothing there waits, and memory is objects and strings. */
const INTRINSICS = { ...DefaultIntrinsics, Proxy: false, Promise: false, TypedArrays: false }

/** @typedef {import('quickjs-emscripten').QuickJSHandle} Handle */

/**
 * The result of a call: the prelude's text, or how many bytes of it are in `mail`; or what stopped the engine.
 * @typedef {{ text?: string, bytes?: number, broken?: 'time' | 'memory' | 'stack' | 'engine', reason?: string }} Result
 *
 * Takes what a list function has sent, or the rows of map functions, as `read` of the engine gives it, and
 * waits for a list's next rows, which come as text or its UTF-8, empty where none are wanted.
 * @typedef {(piece: string | number, wantsRows: boolean) => string | Uint8Array} Exchange
 */

/**
 * Functions loaded into a QuickJS context of their own, with a limit to its memory and to the time of
 * each call. After a failure of the engine itself (time, memory) it must not be used again. It is not
 * disposed of: strangers can leave it so that the engine would abort. It goes with its thread.
 */
class Program {
  #engine
  #context
  #run
  #deadline = Infinity
  #timeout = 0
  #isList = false
  /** The exchange of the call that runs. @type {Exchange} */
  #exchange = nobody
  /** The place for what goes out, if it fits. */
  #mail = /** @type {Uint8Array} */ (NO_MAIL)

  /**
   * @param {import('./engine').Engine} engine
   * @param {{ memory: number }} limits bytes
   */
  constructor (engine, { memory }) {
    this.#engine = engine
    const runtime = engine.newRuntime()
    runtime.setMemoryLimit(memory)
    runtime.setMaxStackSize(STACK)
    runtime.setInterruptHandler(() => performance.now() > this.#deadline)
    this.#context = runtime.newContext({ intrinsics: INTRINSICS })
    const more = this.#context.newFunction('more', (/** @type {Handle} */ piece, /** @type {Handle} */ wantsRows) => this.#more(piece, wantsRows))
    this.#context.setProp(this.#context.global, '__more', more)
    more.dispose()
    for (const { name, source } of preludes) this.#evaluate(source, name)
    this.#run = this.#context.getProp(this.#context.global, '__run')
    // Out of the functions' sight.
    this.#evaluate('for (const name of ["__run", "__more", "__prelude", "__mediaTypes"]) delete globalThis[name]', 'end.js')
  }

  /** @param {string} source @param {string} name */
  #evaluate (source, name) { this.#context.unwrapResult(this.#context.evalCode(source, name)).dispose() }

  /**
   * Each batch of a list function's rows has the time of a call; others are not charged for the host's.
   *
   * @param {Handle} piece
   * @param {Handle} wantsRows
   */
  #more (piece, wantsRows) {
    const before = performance.now()
    const rows = this.#exchange(this.#engine.read(this.#context, piece, this.#mail), this.#context.dump(wantsRows))
    this.#deadline = this.#isList ? performance.now() + this.#timeout : this.#deadline + performance.now() - before
    return this.#engine.newString(this.#context, rows)
  }

  /**
   * @param {string} kind of the prelude: load, map, filter, validate, reduce, emits, show, list, update, rewrite, call
   * @param {string | Uint8Array} json or its UTF-8
   * @param {number} timeout milliseconds
   * @param {Uint8Array} mail where the answer goes if it fits
   * @param {Exchange} [exchange] for list and map functions, and calls
   * @returns {Result}
   */
  run (kind, json, timeout, mail, exchange = nobody) {
    const context = this.#context
    this.#timeout = timeout
    this.#isList = kind === 'list'
    this.#deadline = performance.now() + timeout
    this.#exchange = exchange
    this.#mail = mail
    const kindHandle = context.newString(kind)
    const jsonHandle = this.#engine.newString(context, json)
    const result = context.callFunction(this.#run, context.undefined, kindHandle, jsonHandle)
    kindHandle.dispose()
    jsonHandle.dispose()
    if ('value' in result) {
      const answer = this.#engine.read(context, result.value, mail)
      result.value.dispose()
      return resultOf(answer)
    }
    const message = messageOf(context, result.error)
    result.error.dispose()
    return brokenBy(message)
  }
}

const NO_MAIL = new Uint8Array(0)

/** A function that kept hold of `getRow` from a list is alone with it. */
function nobody () { return '' }

/**
 * If no memory is left, there is no text.
 * @param {string | number} answer
 * @returns {Result}
 */
function resultOf (answer) {
  if (answer === '' || answer === 0) return { broken: 'memory', reason: 'out of memory' }
  return typeof answer === 'number' ? { bytes: answer } : { text: answer }
}

/**
 * Returns the message of an error. If no memory is left, not even an error can be made.
 *
 * @param {import('quickjs-emscripten').QuickJSContext} context
 * @param {Handle} error
 * @returns {string}
 */
function messageOf (context, error) {
  const dumped = context.dump(error)
  return dumped === null ? 'out of memory' : `${dumped?.message ?? dumped}`
}

/**
 * @param {string} reason
 * @returns {Result}
 */
function brokenBy (reason) {
  if (reason === 'interrupted') return { broken: 'time', reason }
  if (reason.includes('memory')) return { broken: 'memory', reason }
  return { broken: reason.includes('stack') ? 'stack' : 'engine', reason }
}

module.exports = { Program }
