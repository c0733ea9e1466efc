'use strict'

const { performance } = require('node:perf_hooks')
const { formOf } = require('./forms')
const { ERROR, LEVELS, NOTICE, rankOf } = require('./levels')
const { LogFile } = require('./log-file')
const { numberOf } = require('../stats/metrics')
const { escapeControls, hideCredentials, indent } = require('./safe-text')

/** @typedef {import('../dispatch/request').PotorooRequest} PotorooRequest */
/** @typedef {import('../dispatch/request').PotorooResponse} PotorooResponse */
/** @typedef {import('./log-settings').LogSettings} LogSettings */

/** Characters of what strangers wrote. */
const LONGEST_QUOTE = 2000

/** The counters of lines, by rank. */
const COUNTERS = LEVELS.slice(0, -1).map(level => numberOf(`couch_log.level.${level}`))

/** Members of a response that tell of its request: when it came, its id, whose log it is in, and from where it came. */
const STARTED = Symbol('started')
const ID = Symbol('id')
const LOG = Symbol('log')
const PEER = Symbol('peer')

/** @typedef {PotorooResponse & { [STARTED]: number, [ID]: string, [LOG]: Log, [PEER]: string }} LoggedResponse */

/** @type {Sink} */
const standardError = { write: text => { process.stderr.write(text) }, reopen () {}, async close () {} }

/**
 * @typedef {object} Sink what lines go to
 * @property {(text: string) => void} write
 * @property {() => void} reopen
 * @property {() => Promise<void>} close
 */

/**
 * The log. Lines are gathered for some milliseconds and written together, so that no request waits
 * for one; errors go out at once. Requests are lines of level `notice`; faults of the server, with
 * their stacks, are `error`. No line holds a password: nothing of a request but its path and its
 * user is written, and those of URLs are hidden. Nor has one control characters in it.
 */
class Log {
  #text = ''
  /** @type {NodeJS.Timeout | null} */
  #timer = null
  #rank = 0
  #form = formOf('couchdb', 'stderr')
  /** @type {Sink} */
  #sink = standardError
  /** The path of the file that the log goes to, or nothing. @type {string | undefined} */
  #place
  #write
  #counts
  #buffer = 0
  #delay = 0
  logsRequests = false

  /**
   * @param {Partial<import('./log-settings').LogSettings> & { write?: (text: string) => void, counts?: import('../stats/statistics').Statistics }} [options]
   *   `write` takes whole lines, instead of the writer of the settings; `counts` are told of each
   * @throws where the file cannot be opened
   */
  constructor ({ write, counts, ...settings } = {}) {
    this.#counts = counts
    this.#write = write
    if (write !== undefined) this.#sink = { ...standardError, write }
    this.#apply({ level: 'warning', ...settings })
  }

  /** Settings that have changed. A file that cannot be opened leaves the log where it was, and says so. @param {LogSettings} settings */
  configure (settings) {
    try {
      this.#apply(settings)
    } catch (error) {
      this.line('error', `The log stays where it is: ${error.message}`)
    }
  }

  /** @param {import('./log-settings').LogSettings} settings */
  #apply ({ level, format = 'couchdb', writer = 'stderr', file, buffer = 65536, delay = 50 }) {
    if (this.#write === undefined) this.#open(writer === 'file' ? file : undefined)
    this.#form = formOf(format, writer)
    this.#rank = rankOf(level)
    this.#buffer = buffer
    this.#delay = delay
    this.logsRequests = this.#rank <= NOTICE
  }

  /** @param {string | undefined} file */
  #open (file) {
    if (file === this.#place) return
    const sink = file === undefined ? standardError : new LogFile(file)
    this.close()
    this.#sink = sink
    this.#place = file
  }

  /**
   * @param {'debug' | 'info' | 'notice' | 'warning' | 'error' | 'critical' | 'alert' | 'emergency'} level
   * @param {string} text lines after the first are indented
   */
  line (level, text) {
    const rank = LEVELS.indexOf(level)
    if (rank < this.#rank) return
    this.#counts?.count(COUNTERS[rank])
    this.#push(this.#form.message(rank, indent(hideCredentials(text))))
    if (rank >= ERROR) this.#soon(0)
  }

  /**
   * Writes what strangers wrote, or some of it, on one line.
   *
   * @param {Parameters<Log['line']>[0]} level
   * @param {string} text
   */
  quote (level, text) { this.line(level, escapeControls(text.slice(0, LONGEST_QUOTE))) }

  /** Lines of another thread's log. @param {string} text */
  append (text) { this.#push(text) }

  /**
   * A line when this request is over.
   *
   * @param {PotorooRequest} req
   * @param {PotorooResponse} res
   * @param {string} id
   */
  request (req, res, id) {
    const logged = /** @type {LoggedResponse} */ (res)
    logged[STARTED] = performance.now()
    logged[ID] = id
    logged[LOG] = this
    // A connection that is closed does not know any more.
    logged[PEER] = req.socket?.remoteAddress ?? 'undefined'
    res.on('close', ended)
  }

  /** Another thread answers the request, and has a line for it. @param {PotorooResponse} res */
  leaveRequest (res) { res.off('close', ended) }

  /** @param {LoggedResponse} res whose request is over */
  requestEnded (res) {
    const { req } = res
    this.#counts?.count(COUNTERS[NOTICE])
    this.#push(this.#form.request({
      id: res[ID],
      host: escapeControls(req.headers.host ?? req.headers[':authority'] ?? 'undefined'),
      peer: res[PEER],
      user: req.user?.name ? escapeControls(req.user.name) : null,
      method: req.method,
      path: hideCredentials(escapeControls(req.originalUrl ?? req.url)),
      status: res.statusCode,
      ok: res.writableFinished,
      ms: performance.now() - res[STARTED]
    }))
  }

  /** @param {{ method?: string, url?: string, originalUrl?: string }} req @param {any} error */
  fault (req, error) {
    this.line('error', `${req.method} ${req.originalUrl ?? req.url}: ${error?.stack ?? error}`)
  }

  /** @param {string} text */
  #push (text) {
    this.#text += text
    if (this.#text.length >= this.#buffer) this.flush()
    else if (this.#timer === null) this.#soon(this.#delay)
  }

  /** @param {number} delay */
  #soon (delay) {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.flush(), delay).unref()
  }

  /** Writes what was gathered. */
  flush () {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    if (this.#text === '') return
    const text = this.#text
    this.#text = ''
    this.#sink.write(text)
  }

  /** Opens the file again: what rotates logs has renamed it. */
  reopen () {
    this.flush()
    this.#sink.reopen()
  }

  /** Writes what was gathered. All of it is written when the promise resolves; what comes later goes to standard error. */
  close () {
    this.flush()
    const closed = this.#sink.close()
    this.#sink = this.#write === undefined ? standardError : this.#sink
    this.#place = undefined
    return closed
  }
}

/** @this {LoggedResponse} */
function ended () { this[LOG].requestEnded(this) }

module.exports = { Log, LEVELS }
