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
 * What came of a call: JSON of the answer (`text`) or of what a function threw (`failure`), and JSON of
 * what was logged; or what stopped the engine.
 * @typedef {{ text?: string, failure?: string, logged?: string, broken?: 'time' | 'memory' | 'stack' | 'engine', reason?: string }} Result
 */

/**
 * Functions loaded into a QuickJS context of their own, with a limit to its memory and to the time of
 * each call. After a failure of the engine itself (time, memory) it must not be used again. It is not
 * disposed of: strangers can leave it so that the engine would abort. It goes with its thread.
 */
class Program {
  #context
  #run
  #deadline = Infinity

  /**
   * @param {import('quickjs-emscripten').QuickJSWASMModule} quickjs
   * @param {{ memory: number }} limits bytes
   */
  constructor (quickjs, { memory }) {
    const runtime = quickjs.newRuntime()
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
   * @param {string} json
   * @param {number} timeout milliseconds
   * @returns {Result}
   */
  run (kind, json, timeout) {
    const context = this.#context
    this.#deadline = Date.now() + timeout
    const kindHandle = context.newString(kind)
    const jsonHandle = context.newString(json)
    const result = context.callFunction(this.#run, context.undefined, kindHandle, jsonHandle)
    kindHandle.dispose()
    jsonHandle.dispose()
    if ('value' in result) {
      const text = context.getString(result.value)
      result.value.dispose()
      return resultOf(text)
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
function resultOf (text) {
  const at = text.indexOf('\n')
  if (at === -1) return { broken: 'memory', reason: 'out of memory' }
  const logged = at === 0 ? undefined : text.slice(0, at)
  const payload = text.slice(at + 2)
  return text[at + 1] === '+' ? { text: payload, logged } : { failure: payload, logged }
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
