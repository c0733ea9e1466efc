'use strict'

const fs = require('node:fs')
const path = require('node:path')

const prelude = fs.readFileSync(path.join(__dirname, 'prelude.js'), 'utf8')

/** Bytes of QuickJS's own count; the thread's stack (see query-server.js) has room for it. */
const STACK = 256 * 1024

/**
 * JSON, or what stopped the engine.
 * @typedef {{ text?: string, broken?: 'time' | 'memory' | 'engine', reason?: string }} Result
 */

/**
 * Functions loaded into a QuickJS of their own, with a limit to its memory and to the time of
 * each call. After a failure of the engine itself (time, memory) it must not be used again.
 */
class Program {
  #runtime
  #context
  #run
  #deadline = 0

  /**
   * @param {import('quickjs-emscripten').QuickJSWASMModule} quickjs
   * @param {{ memory: number }} limits bytes
   */
  constructor (quickjs, { memory }) {
    this.#runtime = quickjs.newRuntime()
    this.#runtime.setMemoryLimit(memory)
    this.#runtime.setMaxStackSize(STACK)
    this.#runtime.setInterruptHandler(() => Date.now() > this.#deadline)
    this.#context = this.#runtime.newContext()
    this.#deadline = Infinity
    this.#context.unwrapResult(this.#context.evalCode(prelude, 'prelude.js')).dispose()
    this.#run = this.#context.getProp(this.#context.global, '__run')
    // Out of the functions' sight.
    this.#context.setProp(this.#context.global, '__run', this.#context.undefined)
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
      return { text }
    }
    const error = context.dump(result.error)
    result.error.dispose()
    return brokenBy(`${error?.message ?? error}`)
  }

  dispose () {
    this.#run.dispose()
    this.#context.dispose()
    this.#runtime.dispose()
  }
}

/** @returns {Result} */
function brokenBy (message) {
  if (message === 'interrupted') return { broken: 'time', reason: message }
  if (message.includes('memory')) return { broken: 'memory', reason: message }
  return { broken: 'engine', reason: message }
}

module.exports = { Program }
