'use strict'

const { parentPort, workerData } = require('node:worker_threads')
const { getQuickJS } = require('quickjs-emscripten')
const { Program } = require('./program')

/** Programs that are kept loaded. */
const KEPT = 32

/** Least recently used first. @type {Map<string, Program>} */
const programs = new Map()

async function main () {
  const quickjs = await getQuickJS()
  parentPort.on('message', ({ id, key, load, kind, json }) => {
    parentPort.postMessage({ id, ...answer(quickjs, key, load, kind, json) })
  })
}

function answer (quickjs, key, load, kind, json) {
  let program = programs.get(key)
  programs.delete(key)
  if (program === undefined) {
    program = new Program(quickjs, workerData)
    const loaded = program.run('load', load, workerData.timeout)
    if (loaded.text === undefined || loaded.text !== '{"ok":true}') {
      program.dispose()
      return loaded
    }
  }
  const result = program.run(kind, json, workerData.timeout)
  if (result.text === undefined) program.dispose()
  else keep(key, program)
  return result
}

function keep (key, program) {
  programs.set(key, program)
  if (programs.size <= KEPT) return
  const [oldest, old] = programs.entries().next().value
  programs.delete(oldest)
  old.dispose()
}

main()
