'use strict'

const crypto = require('node:crypto')
const path = require('node:path')
const { BatchCalls } = require('./calls/batch-calls')
const { FunctionLog } = require('./calls/function-log')
const { breakage, failureError, nonsense, readPiece } = require('./calls/function-result')
const { Gathering } = require('./calls/gathering')
const { MapCalls } = require('./calls/map-calls')
const { mayChange } = require('./calls/mutation')
const { arrayText } = require('./calls/parts')
const { answerQuestion, readOutcome } = require('./calls/transactional-call')
const { ThreadPool } = require('./threads/thread-pool')

/** Gives the rows as they are. */
const PLAIN = { module: path.join(__dirname, 'sandbox', 'plain-rows.js') }

const NO_ROWS = '{"rows":[],"last":true}'

/**
 * Runs the functions of design documents, which are strangers' code: in QuickJS, with limits to
 * time and memory, on threads of their own, so that an endless loop stops nobody else's requests
 * and whatever happens in there leaves the process alive. Always in batches.
 *
 * A program is a list of function sources and the library (the design document) that their
 * `require` finds; it is compiled once and kept. Limits are those of one document: where a batch
 * exceeds them, its documents go one by one.
 *
 * @typedef {object} Functions
 * @property {string[]} sources
 * @property {any} [library]
 * @property {string} [language] of the sources: `javascript`, the default, or `coffeescript`; modules of the library are JavaScript
 * @property {Origin} [origin]
 * @property {'search' | 'nouveau'} [indexes] of functions of text indexes: `index`, as one or the other has it, in place of `emit`
 *
 * @typedef {object} Origin whose functions they are
 * @property {string} database its name
 * @property {string} [instance] an id that no other database has; functions of one never share a context
 *   with those of another
 * @property {string} design the design document's id
 *
 * @typedef {object} ListStream
 * @property {(piece: import('./calls/function-result').Piece) => Promise<boolean>} write whether more is wanted: else there are no more rows
 * @property {(piece: import('./calls/function-result').Piece) => void} end takes the last one
 * @property {() => Promise<string>} rows JSON of the next: `{ rows, last }`
 * @property {() => void} [giveWay] is called while it waits, where others want the thread: it is to end
 *
 * @typedef {{ background?: boolean }} CallOptions background: it goes after all else
 *
 * @typedef {{ level: 'info' | 'warning', message: string, origin: Origin | undefined }} LogEntry
 *
 * @typedef {{ owner: string, key: string, load: string, most: number, functions: Functions }} Program
 *   most: documents that may go to it at once
 */
class QueryServer {
  #pool
  #count
  #log
  #maps
  #batches
  /** @type {WeakMap<Functions, Program>} */
  #programs = new WeakMap()
  /** List functions that send much. @type {WeakSet<Functions>} */
  #lengthy = new WeakSet()
  /** By kind. @type {Record<'validate' | 'renders', WeakMap<Functions, Gathering<any>>>} */
  #gatherings = { validate: new WeakMap(), renders: new WeakMap() }

  /**
   * @param {Partial<import('./threads/thread-pool').PoolLimits & import('./threads/thread').Limits & import('./calls/map-calls').EmitLimits> & { log?: (entry: LogEntry) => void, count?: (name: string, by?: number) => void, parseLong?: (text: string) => Promise<any> }} [options]
   *   timeout: milliseconds for a document; memory: bytes a program; log: is told what functions log; count: hears what happened how often, see index.d.ts; parseLong: reads what
   *   show, update and rewrite functions give, where that is long: JSON in which documents lie three containers deep
   */
  constructor ({ timeout = 5000, memory = 64 * 1024 * 1024, rows = 100_000, bytes = 16 * 1024 * 1024, log = () => {}, count = () => {}, parseLong = async text => JSON.parse(text), ...limits } = {}) {
    this.#count = count
    this.#pool = new ThreadPool({ timeout, memory, ...limits }, count)
    this.#log = new FunctionLog(log)
    this.#maps = new MapCalls(this.#pool, this.#log, { rows, bytes }, count)
    this.#batches = new BatchCalls(this.#pool, this.#log, parseLong)
  }

  /** Sets the limits of all that is run from now on. */
  configure ({ rows = this.#maps.limits.rows, bytes = this.#maps.limits.bytes, ...limits }) {
    this.#maps.limits = { rows, bytes }
    this.#pool.configure(limits)
  }

  /** Threads end as soon as they have nothing to do; what is run from now on has new ones. */
  reload () { this.#pool.reload() }

  /** How many threads there are, and how many of them work. @returns {{ threads: number, busy: number }} */
  get size () { return this.#pool.size }

  /**
   * @param {Functions} functions map functions
   * @param {any[]} docs objects, or JSON texts of objects
   * @param {CallOptions} [options]
   * @returns {Promise<Array<Array<Array<[any, any]>>>>} for each document, for each function: its rows
   */
  async map (functions, docs, options) {
    /** @type {Array<Array<Array<[any, any]>>>} */
    const answers = []
    await this.mapInParts(functions, docs, { ...options, encoder: PLAIN, take: part => answers.push(...part?.rows ?? [functions.sources.map(() => [])]) })
    return answers
  }

  /**
   * The same, of rows that may be many: they are encoded in the thread, and come in parts.
   *
   * @param {Functions} functions map functions
   * @param {any[]} docs objects, or JSON texts of objects
   * @param {import('./calls/map-calls').MapOptions} options
   * @returns {Promise<void>} when the last part was taken
   */
  async mapInParts (functions, docs, options) {
    await this.#maps.run(this.#programOf(functions), docs.map(textOf), options)
  }

  /**
   * @param {Functions} functions one filter function `(doc, req)`
   * @param {any[]} docs objects, or JSON texts of objects
   * @param {any} [req]
   * @returns {Promise<boolean[]>}
   */
  filter (functions, docs, req) {
    const request = JSON.stringify(req ?? null)
    return this.#batches.inParts(this.#programOf(functions), 'filter', docs.map(textOf), texts => `{"docs":${arrayText(texts)},"req":${request}}`)
  }

  /**
   * A map function as a filter: true where it emits.
   *
   * @param {Functions} functions
   * @param {any[]} docs objects, or JSON texts of objects
   * @returns {Promise<boolean[]>}
   */
  emits (functions, docs) { return this.#batches.inParts(this.#programOf(functions), 'emits', docs.map(textOf)) }

  /**
   * @param {Functions} functions reduce functions
   * @param {Array<[any[] | null, any[]]>} groups keys (`[key, id]` pairs; null when rereducing) and values
   * @returns {Promise<any[][]>} for each group, for each function: what it gives
   */
  reduce (functions, groups, rereduce = false) {
    return this.#batches.inParts(this.#programOf(functions), 'reduce', groups.map(textOf), texts => `{"groups":${arrayText(texts)},"rereduce":${rereduce}}`)
  }

  /**
   * @param {Functions} functions one validation function `(newDoc, oldDoc, userCtx, secObj)`
   * @param {any[][]} calls its arguments, for each document
   * @returns {Promise<Array<{ error: string, reason: any } | null>>} what it threw, null where nothing
   */
  async validate (functions, calls) {
    const began = performance.now()
    const answers = await this.#gather(functions, 'validate', calls.map(textOf))
    this.#count('vdu_process_time', performance.now() - began)
    this.#count('vdu_rejects', answers.filter(answer => answer !== null).length)
    return answers
  }

  /**
   * One call of a show, update or rewrite function.
   *
   * @param {Functions} functions one function
   * @param {'show' | 'list' | 'update' | 'rewrite'} kind
   * @param {string} json of its arguments: `{ doc, req }`
   * @returns {Promise<any>} the response; of an update `{ doc, response }`; of a rewrite `{ result }`, or null
   */
  async render (functions, kind, json) {
    const [answer] = await this.#gather(functions, 'renders', [`{"kind":"${kind}",${json.slice(1)}`])
    if (!Object.hasOwn(Object(answer), 'ok')) throw failureError(answer)
    return answer.ok
  }

  /**
   * Calls of several requests go together.
   *
   * @param {Functions} functions
   * @param {'validate' | 'renders'} kind
   * @param {string[]} texts
   * @returns {Promise<any[]>}
   */
  #gather (functions, kind, texts) {
    const known = this.#gatherings[kind]
    let gathering = known.get(functions)
    if (gathering === undefined) {
      const program = this.#programOf(functions)
      gathering = new Gathering(all => this.#batches.whole(program, kind, all), own => this.#batches.inParts(program, kind, own))
      known.set(functions, gathering)
    }
    return gathering.add(texts)
  }

  /**
   * One call of a list function whose rows are all there, which goes with others.
   *
   * @param {Functions} functions one function
   * @param {string} json as for `list`
   * @returns {Promise<import('./calls/function-result').Piece | null>} null where it sends too much for that: see `list`
   */
  async shortList (functions, json) {
    if (this.#lengthy.has(functions)) return null
    const text = await this.render(functions, 'list', json)
    if (text === null) this.#lengthy.add(functions)
    else if (typeof text !== 'string') throw nonsense()
    return text === null ? null : readPiece(Buffer.from(text))
  }

  /**
   * One call of a list function, which takes rows and sends text as it goes. While it waits for rows, or
   * for who reads what it sends, it keeps a thread.
   *
   * @param {Functions} functions one function
   * @param {string} json `{ head, req, rows, last }`: its arguments, the first rows, and whether there are no more
   * @param {ListStream} stream
   * @returns {Promise<void>} once `end` was called
   */
  async list (functions, json, stream) {
    const program = this.#programOf(functions)
    const { owner, key, load } = program
    const exchange = async (/** @type {Buffer} */ bytes, /** @type {boolean} */ wantsRows) => {
      if (!await stream.write(readPiece(bytes))) return NO_ROWS
      return wantsRows ? stream.rows() : ''
    }
    const result = await this.#pool.run({ owner, key, load, kind: 'list', json, exchange, giveWay: stream.giveWay })
    if (result.content === undefined) throw breakage(result)
    stream.end(readPiece(this.#log.toldBefore(program, result.content)))
  }

  /**
   * One call of a function that reads and writes documents: while it waits for them, it keeps a thread.
   *
   * @param {Functions} functions one function `(params, tx)`
   * @param {string} json `{ params, user, seed, mostDocuments, mostBytes }`
   * @param {(question: ['get', string] | ['find', any]) => Promise<string>} answer gives JSON of a document, null for none, or of a list.
   *   The function may catch an error with a status below 500; any other ends the call
   * @returns {Promise<{ result: string, writes: string } | { thrown: string }>} JSON of what the function returned and of the documents
   *   that it writes; or of what it threw: `{ error, reason, status }`, or `{ code, message, data }`
   */
  async call (functions, json, answer) {
    const program = this.#programOf(functions)
    const { owner, key, load } = program
    const result = await this.#pool.run({ owner, key, load, kind: 'call', json, exchange: bytes => answerQuestion(bytes, answer) })
    if (result.content === undefined) throw breakage(result)
    return readOutcome(this.#log.toldBefore(program, result.content))
  }

  /**
   * Compiles them, to see whether they can be.
   *
   * @param {Functions} functions
   * @throws compilation_error
   */
  async compile (functions) { await this.mapInParts(functions, [], { encoder: PLAIN, take: () => {} }) }

  close () { return this.#pool.close() }

  /**
   * @param {Functions} functions
   * @returns {Program}
   */
  #programOf (functions) {
    const known = this.#programs.get(functions)
    if (known !== undefined) return known
    const { sources, library = {}, language = 'javascript', origin, indexes } = functions
    const isCoffee = language === 'coffeescript'
    const sealed = isCoffee || sources.some(source => typeof source === 'string' && mayChange(source))
    const load = JSON.stringify({ ...(isCoffee && { language }), sources, library, sealed, ...(indexes !== undefined && { indexes }) })
    const owner = origin === undefined ? '' : origin.instance ?? origin.database
    const key = crypto.createHash('sha256').update(`${owner}\n`).update(load).digest('base64')
    const program = { owner, key, load, most: Infinity, functions }
    this.#programs.set(functions, program)
    return program
  }

  /**
   * Logs what is wrong with what a function gave, where that is seen outside of here.
   *
   * @param {Origin} origin
   * @param {string} message
   */
  warn (origin, message) { this.#log.warn(origin, message) }
}

/** @param {unknown} value @returns {string} */
function textOf (value) { return typeof value === 'string' ? value : JSON.stringify(value) }

module.exports = { QueryServer }
