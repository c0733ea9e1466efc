'use strict'

const { parentPort } = require('node:worker_threads')
const { openEngine } = require('./engine')
const { Program } = require('./program')

/** @type {Map<string, Program>} */
const programs = new Map()

/**
 * Runs the calls of a thread (see thread.js), one at a time.
 *
 * @typedef {object} Call
 * @property {string} kind of the prelude
 * @property {string} json
 * @property {string} key of the program
 * @property {string} [load] JSON of the program, where this thread has it not
 * @property {number} timeout milliseconds, for loading and for running
 * @property {number} memory bytes a program
 */
async function main () {
  const quickjs = await openEngine()
  parentPort.on('message', call => {
    const result = answer(quickjs, call)
    parentPort.postMessage({ ...result, heap: quickjs.getWasmMemory().buffer.byteLength })
  })
}

/**
 * @param {import('quickjs-emscripten').QuickJSWASMModule} quickjs
 * @param {Call} call
 */
function answer (quickjs, call) {
  const { kind, json, key, load, timeout } = call
  if (load !== undefined) {
    const loaded = start(quickjs, key, load, call)
    if (loaded.text === undefined) return { ...loaded, unloaded: true }
  }
  const result = /** @type {Program} */ (programs.get(key)).run(kind, json, timeout)
  if (result.broken !== undefined) programs.delete(key)
  return result
}

function start (quickjs, key, load, { timeout, memory }) {
  const program = new Program(quickjs, { memory })
  programs.set(key, program)
  const loaded = program.run('load', load, timeout)
  if (loaded.text === undefined) programs.delete(key)
  return loaded
}

main()
