'use strict'

const pino = require('pino')
const { NODE } = require('../service/node-name')
const { LEVELS } = require('./levels')

/**
 * How an entry of the log is written: one function for a message, one for a request.
 *
 * @typedef {object} Form
 * @property {(rank: number, text: string) => string} message
 * @property {(request: RequestEntry) => string} request
 *
 * @typedef {object} RequestEntry what is known of a request when it is over; text is escaped
 * @property {string} id
 * @property {string} host that the client asked
 * @property {string} peer address of the client
 * @property {string | null} user null for nobody
 * @property {string} method
 * @property {string} path with its query
 * @property {number} status
 * @property {boolean} ok false where the client had gone before the end
 * @property {number} ms
 */

const PROCESS = `${NODE} <${process.pid}>`

let second = 0
let upToSecond = ''

/** The time, as ISO 8601; of a second only the milliseconds are new. */
function now () {
  const ms = Date.now()
  const rest = ms % 1000
  if (ms - rest !== second) {
    second = ms - rest
    upToSecond = new Date(ms).toISOString().slice(0, 20)
  }
  return `${upToSecond}${rest < 10 ? '00' : rest < 100 ? '0' : ''}${rest}Z`
}

/** @param {RequestEntry} r */
function requestLine (r) {
  // As CouchDB writes of nobody.
  return `${r.id} ${r.host} ${r.peer} ${r.user ?? 'undefined'} ${r.method} ${r.path} ${r.status} ${r.ok ? 'ok' : 'aborted'} ${r.ms.toFixed(1)}`
}

/**
 * As CouchDB writes: `[notice] 2026-01-01T12:00:00.000Z nonode@nohost <4711> 0a1b2c3d4e localhost:5984
 * 127.0.0.1 anna GET /todos 200 ok 0.4`. Its last number is whole, and its process one of Erlang's.
 * @type {Form}
 */
const couchdb = {
  /** @param {string} text */
  message: (rank, text) => `[${LEVELS[rank]}] ${now()} ${PROCESS} -------- ${text}\n`,
  request: entry => `[notice] ${now()} ${PROCESS} ${requestLine(entry)}\n`
}

/** The number that journald knows a level by. */
const PRIORITY = [7, 6, 5, 4, 3, 2, 1, 0]

/** For journald, which has the time by itself: every line has its level in front. @type {Form} */
const journald = {
  /** @param {string} text */
  message: (rank, text) => `<${PRIORITY[rank]}>${PROCESS} -------- ${text.replaceAll('\n', `\n<${PRIORITY[rank]}>`)}\n`,
  request: entry => `<5>${PROCESS} ${requestLine(entry)}\n`
}

/** One JSON object a line, by pino. @returns {Form} */
function json () {
  let line = ''
  const customLevels = Object.fromEntries(LEVELS.slice(0, -1).map((name, rank) => [name, rank + 1]))
  const logger = /** @type {any} */ (pino({
    customLevels,
    useOnlyCustomLevels: true,
    level: 'debug',
    base: { node: NODE, pid: process.pid },
    timestamp: () => `,"time":"${now()}"`,
    formatters: { level: label => ({ level: label }) }
  }, { write: text => { line = text } }))
  return {
    /** @param {string} text */
    message (rank, text) {
      logger[LEVELS[rank]](text)
      return line
    },
    // As pino writes it, in a third of the time: there is one such line a request.
    request: entry => `{"level":"notice","time":"${now()}","node":"${NODE}","pid":${process.pid},${JSON.stringify(entry).slice(1)}\n`
  }
}

/**
 * @param {string} format `couchdb` or `json`
 * @param {string} writer
 * @returns {Form}
 */
function formOf (format, writer) {
  if (writer === 'journald') return journald
  return format === 'json' ? json() : couchdb
}

module.exports = { formOf }
