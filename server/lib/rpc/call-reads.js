'use strict'

const { toJson, validateId } = require('@potoroo/document-store')
const { badRequest, createError } = require('@potoroo/errors')
const { compileSelectorInTurns } = require('@potoroo/indexes')
const { isObject } = require('../documents/input')

/** @typedef {import('../dispatch/request').DatabaseRequest} DatabaseRequest */
/** @typedef {{ documents: number, bytes: number, deadline: number }} Limits deadline: by `performance.now()` */

/** Questions that are refused, each, before the call ends. */
const MOST_REFUSED = 100

/** Members of `_find` that a call may ask for: with `skip` nobody would know what is skipped. */
const FIND = new Set(['selector', 'sort', 'limit', 'use_index'])

const DEFAULT_LIMIT = 25

/** The id and the revision that a document begins with. */
const NAMES = /^\{"_id":("(?:[^"\\]|\\.)*"),"_rev":"([^"]*)"/

/**
 * Answers what a function asks for, as its user may see it, and remembers what it was told: that has to hold still
 * when the call commits.
 */
class CallReads {
  #req
  #store
  #limits
  /** Revisions by id, null where there is no document. @type {Map<string, string | null>} */
  #revisions = new Map()
  /** @type {Array<ReturnType<typeof compileSelectorInTurns>>} */
  #selectors = []
  #since
  #questions = 0
  #bytes = 0
  #refused = 0
  /** Whether the same document was seen in two states. */
  lost = false

  /** @param {DatabaseRequest} req @param {any} store @param {Limits} limits */
  constructor (req, store, limits) {
    this.#req = req
    this.#store = store
    this.#limits = limits
    this.#since = store.updateSeq
  }

  /** Whether what it told is of one moment, whatever happens meanwhile. */
  get isOfOneMoment () { return this.#questions <= 1 && !this.lost }

  /** Conditions of the transaction: see WriteOptions. */
  get conditions () {
    const reads = [...this.#revisions].map(([id, rev]) => ({ id, rev }))
    return this.#selectors.length === 0 ? { reads } : { reads, unless: { since: this.#since, matches: (/** @type {any} */ doc, /** @type {number} */ length) => this.#matches(doc, length) } }
  }

  /** It runs in the commit, which others wait for. @param {any} doc @param {number} length of its text */
  async #matches (doc, length) {
    for (const selector of this.#selectors) {
      this.#requireTime()
      if (await selector(doc, length, this.#store.name)) return true
    }
    return false
  }

  /** @param {['get', string] | ['find', any]} question @returns {Promise<string>} JSON */
  async answer ([kind, given]) {
    this.#requireTime()
    try {
      this.#questions++
      return await (kind === 'find' ? this.#find(given) : this.#get(given))
    } catch (error) {
      if (++this.#refused > MOST_REFUSED) throw createError('FUNCTION_ERROR', { error: 'bad_request', reason: 'The function asks again and again for what it is refused' })
      throw error
    }
  }

  /** @param {any} id */
  async #get (id) {
    validateId(id)
    if (id.startsWith('_local/')) throw badRequest('Calls read and write no local documents')
    const document = await this.#read(id)
    if (document === null) {
      this.#note(id, null, 'null')
      return 'null'
    }
    if (document.body.length > this.#limits.bytes) throw this.#tooMany()
    const text = toJson(document)
    this.#note(id, document.rev, text)
    return text
  }

  /** @param {string} id */
  async #read (id) {
    try {
      return await this.#req.database.get(id)
    } catch (error) {
      if (error.status === 404) return null
      throw error
    }
  }

  /** @param {any} request */
  async #find (request) {
    if (!isObject(request)) throw badRequest('A find needs an object with a selector')
    const other = Object.keys(request).find(name => !FIND.has(name))
    if (other !== undefined) throw badRequest(`A find in a call has no \`${other}\``)
    const { limit = DEFAULT_LIMIT } = request
    if (!Number.isSafeInteger(limit) || limit < 1 || limit > this.#limits.documents) throw badRequest(`A find in a call has a \`limit\` of 1 to ${this.#limits.documents}`)
    const selector = compileSelectorInTurns(request.selector)
    const found = await this.#inTime(this.#search({ ...request, limit }))
    this.#selectors.push(selector)
    return `[${found.join(',')}]`
  }

  /** @param {any} request @returns {Promise<string[]>} documents as JSON */
  async #search (request) {
    const { database, service, user } = this.#req
    const reader = database.isOfMember ? this.#store.forMember(user) : undefined
    const answer = await service.mango.search(this.#store, request, undefined, reader)
    const found = []
    for await (const texts of answer.texts()) {
      for (const text of texts) {
        this.#noteText(text)
        found.push(text)
      }
      this.#requireTime()
    }
    return found
  }

  #requireTime () { if (performance.now() > this.#limits.deadline) throw createError('FUNCTION_TIMEOUT') }

  /**
   * An index may be built for longer than a call may take.
   *
   * @template T
   * @param {Promise<T>} work
   * @returns {Promise<T>}
   */
  async #inTime (work) {
    let timer
    const end = new Promise((resolve, reject) => {
      timer = setTimeout(() => reject(createError('FUNCTION_TIMEOUT')), this.#limits.deadline - performance.now())
    })
    try {
      return await /** @type {Promise<T>} */ (Promise.race([work, end]))
    } finally {
      clearTimeout(timer)
    }
  }

  /** @param {string} text of a document */
  #noteText (text) {
    const names = NAMES.exec(text)
    if (names === null) throw createError('INTERNAL', { reason: 'A document that was found has no revision' })
    this.#note(JSON.parse(names[1]), names[2], text)
  }

  /** @param {string} id @param {string | null} rev @param {string} text */
  #note (id, rev, text) {
    const { documents, bytes } = this.#limits
    if (this.#revisions.has(id)) this.lost ||= this.#revisions.get(id) !== rev
    else if (this.#revisions.size >= documents) throw tooLarge(`A call reads at most ${documents} documents`)
    this.#bytes += text.length
    if (this.#bytes > bytes) throw this.#tooMany()
    this.#revisions.set(id, rev)
  }

  #tooMany () { return tooLarge(`A call reads at most ${this.#limits.bytes} bytes`) }
}

/** @param {string} reason */
function tooLarge (reason) { return createError('TOO_LARGE', { reason }) }

module.exports = { CallReads }
