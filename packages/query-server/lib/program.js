'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { DefaultIntrinsics } = require('quickjs-emscripten')

const prelude = fs.readFileSync(path.join(__dirname, 'prelude.js'), 'utf8')

/** Bytes of QuickJS's own count; the thread's stack (see thread.js) has room for it. */
const STACK = 256 * 1024

/** As CouchDB's functions have it: nothing there waits, and memory is objects and strings. */
const INTRINSICS = { ...DefaultIntrinsics, Proxy: false, Promise: false, TypedArrays: false }

/**
 * What came of a call: the prelude's text, or how many bytes of it are in `mail`; or what stopped the engine.
 * @typedef {{ text?: string, bytes?: number, broken?: 'time' | 'memory' | 'stack' | 'engine', reason?: string }} Result
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

  /**
   * @param {import('./engine').Engine} engine
   * @param {{ memory: number }} limits bytes
   */
  constructor (engine, { memory }) {
    this.#engine = engine
    const runtime = engine.newRuntime()
    runtime.setMemoryLimit(memory)
    runtime.setMaxStackSize(STACK)
    runtime.setInterruptHandler(() => Date.now() > this.#deadline)
    this.#context = runtime.newContext({ intrinsics: INTRINSICS })
    this.#context.unwrapResult(this.#context.evalCode(prelude, 'prelude.js')).dispose()
    this.#run = this.#context.getProp(this.#context.global, '__run')
    // Out of the functions' sight.
    this.#context.unwrapResult(this.#context.evalCode('delete globalThis.__run')).dispose()
  }

  /**
   * @param {string} kind of the prelude: load, map, filter, validate, reduce, emits
   * @param {string | Uint8Array} json or its UTF-8
   * @param {number} timeout milliseconds
   * @param {Uint8Array} mail where the answer goes if it fits
   * @returns {Result}
   */
  run (kind, json, timeout, mail) {
    const context = this.#context
    this.#deadline = Date.now() + timeout
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

/**
 * Where no memory is left, there is no text.
 * @returns {Result}
 */
function resultOf (answer) {
  if (answer === '' || answer === 0) return { broken: 'memory', reason: 'out of memory' }
  return typeof answer === 'number' ? { bytes: answer } : { text: answer }
}

/** Where no memory is left, not even an error can be made. */
function messageOf (context, error) {
  const dumped = context.dump(error)
  return dumped === null ? 'out of memory' : `${dumped?.message ?? dumped}`
}

/** @returns {Result} */
function brokenBy (reason) {
  if (reason === 'interrupted') return { broken: 'time', reason }
  if (reason.includes('memory')) return { broken: 'memory', reason }
  return { broken: reason.includes('stack') ? 'stack' : 'engine', reason }
}

module.exports = { Program }
