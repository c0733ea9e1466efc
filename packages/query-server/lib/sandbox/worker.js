'use strict'

const { parentPort, receiveMessageOnPort, workerData } = require('node:worker_threads')
const { compilePlain } = require('../plain/plain-functions')
const { isCoffee, translate } = require('./coffee')
const { Engine } = require('./engine')
const { Program } = require('./program')
const { RowGatherer } = require('./row-gatherer')

/** A worker has one. */
const port = /** @type {import('node:worker_threads').MessagePort} */ (parentPort)

/** @type {Map<string, Program>} */
const programs = new Map()

/**
 * Runs the calls of a thread (see thread.js), one at a time.
 *
 * @typedef {object} Call
 * @property {string} kind of the prelude
 * @property {string | number} json or how many bytes of it are in the mail
 * @property {string} key of the program
 * @property {string} [load] JSON of the program, where this thread has it not
 * @property {number} timeout milliseconds, for loading and for running
 * @property {number} memory bytes a program
 * @property {{ functions: number, encoder: import('../threads/thread').Encoder }} [rows] of map functions: how many there are, and
 *   what becomes of their rows
 */
async function main () {
  const engine = await Engine.open()
  port.on('message', call => {
    const result = answer(engine, call)
    port.postMessage({ ...result, heap: engine.size })
  })
}

/** Shared with who asks: the text of a call, and then that of its answer. */
const mail = new Uint8Array(workerData.mail)
const letter = Buffer.from(workerData.mail)

/** 1 when the rows that a list function waits for have been posted. */
const signal = new Int32Array(workerData.signal)

/** UTF-16 units of a program that is kept as text, until the sandbox has to have it. */
const LONGEST_LOAD = 64 * 1024

/** Kinds of calls of map functions: any of them may be the first. */
const OF_MAPS = new Set(['map', 'emits'])

/** Programs by their keys, each compiled where it is plain; without their text once the sandbox has them. @type {Map<string, { load: string, plain: import('../plain/plain-functions').PlainFunctions | null }>} */
const loads = new Map()

/**
 * @param {Engine} engine
 * @param {Call} call
 */
function answer (engine, call) {
  const { kind, json, key, load, timeout, rows } = call
  if (load !== undefined) loads.set(key, { load, plain: OF_MAPS.has(kind) && load.length <= LONGEST_LOAD ? compilePlain(JSON.parse(load)) : null })
  const text = typeof json === 'string' ? json : mail.subarray(0, json)
  const plain = rows === undefined ? undefined : mapPlain(key, text, rows)
  if (plain !== undefined) return plain
  const failed = programs.has(key) ? undefined : start(engine, key, call)
  if (failed !== undefined) {
    loads.delete(key)
    return { ...failed, unloaded: true }
  }
  const program = /** @type {Program} */ (programs.get(key))
  const result = rows === undefined ? program.run(kind, text, timeout, mail, exchange) : map(program, text, timeout, rows)
  if (result.broken !== undefined) {
    programs.delete(key)
    loads.delete(key)
  }
  return result
}

/**
 * Maps without the sandbox, where that can be.
 *
 * @param {string} key
 * @param {string | Uint8Array} text
 * @param {NonNullable<Call['rows']>} rows
 */
function mapPlain (key, text, { encoder: { module, options } }) {
  const found = loads.get(key)?.plain?.map(typeof text === 'string' ? text : textOf(text.length))
  if (found === undefined) return undefined
  const encoder = require(module).makeEncoder(options)
  for (const views of found) {
    encoder.add(views)
    encoder.end((/** @type {import('./row-gatherer').RowPart} */ part) => { waitAfter({ part }) })
  }
  return { text: ALL_WELL, part: encoder.rest() }
}

/**
 * Rows are encoded here, and go out in parts.
 *
 * @param {Program} program
 * @param {string | Uint8Array} text
 * @param {number} timeout
 * @param {NonNullable<Call['rows']>} rows
 */
function map (program, text, timeout, { functions, encoder: { module, options } }) {
  const gatherer = new RowGatherer(require(module).makeEncoder(options), functions, part => { waitAfter({ part }) })
  const result = program.run('map', text, timeout, mail, piece => {
    gatherer.take(textOf(piece))
    return ''
  })
  const answer = result.bytes ?? result.text
  return { broken: result.broken, reason: result.reason, ...gatherer.finish(answer === undefined ? undefined : textOf(answer)) }
}

/** @param {string | number} piece */
function textOf (piece) { return typeof piece === 'number' ? letter.toString('utf8', 0, piece) : piece }

/** The thread sleeps until it is answered. @type {import('./program').Exchange} */
function exchange (piece, wantsRows) {
  const json = waitAfter({ wantsRows, ...(typeof piece === 'number' ? { bytes: piece } : { text: piece }) })
  return typeof json === 'string' ? json : mail.subarray(0, json)
}

/**
 * @param {object} message
 * @returns {string | number} what the host has answered
 */
function waitAfter (message) {
  port.postMessage({ ...message, waits: true })
  Atomics.wait(signal, 0, 0)
  Atomics.store(signal, 0, 0)
  return /** @type {any} */ (receiveMessageOnPort(port)).message.json
}

/**
 * @param {Engine} engine
 * @param {string} key
 * @param {{ timeout: number, memory: number }} limits
 * @returns {import('./program').Result | undefined} what went wrong
 */
function start (engine, key, { timeout, memory }) {
  const known = /** @type {NonNullable<ReturnType<typeof loads.get>>} */ (loads.get(key))
  const { load } = known
  /** @type {{ load: string, failure?: undefined } | { load: undefined, failure: string }} */
  const translated = isCoffee(load) ? translate(load) : { load }
  if (translated.failure !== undefined) return { text: translated.failure }
  const program = new Program(engine, { memory })
  const { text, ...broken } = program.run('load', translated.load, timeout, NO_MAIL)
  if (text !== undefined && isLoaded(text)) {
    programs.set(key, program)
    known.load = ''
    return undefined
  }
  return text === undefined ? broken : { text }
}

/** The mail holds the call. */
const NO_MAIL = new Uint8Array(0)

/**
 * The prelude's answer, behind what was logged meanwhile.
 *
 * @param {string} text
 */
function isLoaded (text) { return text.endsWith(ALL_WELL) }

/** Nothing was logged, and nothing is wrong. */
const ALL_WELL = '\n+true'

main()
