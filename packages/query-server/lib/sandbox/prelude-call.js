'use strict'

/*
 * How functions are called that read and write documents: `function (params, tx)`. It runs inside QuickJS, after prelude.js.
 *
 * `tx` asks the host for documents by `__more`, with JSON of `['get', id]` or `['find', request]`, and the host answers
 *
 *   '=' and JSON, or '!' and `{ error, reason, status }`, which the function may catch
 *
 * Documents that the function writes stay here until its end, as JSON, and go over with what it returns:
 *
 *   JSON of the result, '\n', JSON array of the documents
 *
 * or with what it threw: '!' and `{ error, reason, status }`, or `{ code, message, data }`.
 */
;(function (/** @type {import('./prelude').World} */ global) {
  const { kinds, describe, parseDeep, functionOf, libraryOf, Internal } = global.__prelude
  const { parse, stringify } = JSON
  const { assign, create, freeze } = Object
  const { isInteger } = Number
  const more = global.__more

  /** Codes that JSON-RPC keeps for itself; functions may use that of invalid parameters alone. */
  const FIRST_RESERVED = -32768
  const LAST_RESERVED = -32000
  const INVALID_PARAMS = -32602

  /** The transaction of the call that runs. @type {Transaction | null} */
  let current = null

  /** Documents of one call: JSON texts by id. */
  class Transaction {
    /** As they are stored: `null` for none. @type {Record<string, string>} */
    read = create(null)
    /** @type {Record<string, string>} */
    written = create(null)
    count = 0
    bytes = 0

    /** @param {{ seed: string, mostDocuments: number, mostBytes: number }} given seed: what ids are made of */
    constructor ({ seed, mostDocuments, mostBytes }) {
      this.seed = seed
      this.mostDocuments = mostDocuments
      this.mostBytes = mostBytes
    }

    /** @param {string} id @returns {any} */
    stored (id) { return parseDeep(this.read[id] ??= ask(['get', id])) }

    /** @param {string} id @returns {any} */
    get (id) {
      const text = this.written[id]
      const doc = text === undefined ? this.stored(id) : parseDeep(text)
      return doc === null || doc._deleted === true ? null : doc
    }

    /** @param {any} request */
    find (request) { return parseDeep(ask(['find', request])) }

    /** @param {any} doc */
    put (doc) {
      if (typeof doc !== 'object' || doc === null) fail('bad_request', 'Document must be a JSON object')
      const { _id: id = this.newId(), _rev: given } = doc
      if (typeof id !== 'string') fail('illegal_docid', 'Document id must be a string')
      const rev = this.revisionFor(id, given)
      return this.write(id, stringify({ ...doc, _id: id, _rev: rev }))
    }

    /** @param {any} doc a document, or its id */
    remove (doc) {
      const id = typeof doc === 'string' ? doc : doc?._id
      if (typeof id !== 'string') fail('illegal_docid', 'Document id must be a string')
      const before = this.get(id)
      if (before === null) fail('not_found', 'missing')
      const rev = this.revisionFor(id, typeof doc === 'string' ? before._rev : doc._rev)
      return rev === undefined ? this.forget(id) : this.write(id, stringify({ _id: id, _rev: rev, _deleted: true }))
    }

    /**
     * The stored revision that a document replaces, which it has to name as anywhere.
     *
     * @param {string} id
     * @param {unknown} given
     * @returns {string | undefined}
     */
    revisionFor (id, given) {
      const rev = this.stored(id)?._rev
      const isRemovedHere = this.written[id] !== undefined && this.get(id) === null
      if (given !== rev && !(given === undefined && isRemovedHere)) fail('conflict', 'Document update conflict.')
      return rev
    }

    /** @param {string} id @param {string} text */
    write (id, text) {
      const before = this.written[id]
      const count = this.count + (before === undefined ? 1 : 0)
      const bytes = this.bytes + text.length - (before ?? '').length
      if (count > this.mostDocuments) fail('too_large', `A call writes at most ${this.mostDocuments} documents`)
      if (bytes > this.mostBytes) fail('too_large', `A call writes at most ${this.mostBytes} bytes`)
      this.count = count
      this.bytes = bytes
      this.written[id] = text
      return { id }
    }

    /** A document that came and went is not written. @param {string} id */
    forget (id) {
      this.count--
      this.bytes -= this.written[id].length
      delete this.written[id]
      return { id }
    }

    /** An id that no document has. */
    newId () {
      const id = this.seed + (++this.made).toString(16).padStart(12, '0')
      this.read[id] = 'null'
      return id
    }

    made = 0

    texts () {
      const texts = []
      for (const id in this.written) texts[texts.length] = this.written[id]
      return `[${texts.join(',')}]`
    }
  }

  /** @param {any[]} question @returns {string} JSON */
  function ask (question) {
    const answer = more(stringify(question), true)
    if (answer[0] === '=') return answer.slice(1)
    const { error, reason, status } = parse(answer.slice(1))
    return fail(error, reason, status)
  }

  /** @param {string} name @param {string} reason @param {number} [status] @returns {never} */
  function fail (name, reason, status) { throw assign(new Error(reason), { name, error: name, reason, status }) }

  /** One that the function kept from an earlier call does nothing any more. @param {Transaction} own @returns {Transaction} */
  function open (own) {
    if (own !== current) fail('bad_request', 'The call has ended')
    return own
  }

  /** @param {Transaction} own @param {any} user */
  function faceOf (own, user) {
    return freeze({
      user: freeze(user),
      get: (/** @type {any} */ id) => open(own).get(`${id}`),
      find: (/** @type {any} */ request) => open(own).find(request),
      put: (/** @type {any} */ doc) => open(own).put(doc),
      remove: (/** @type {any} */ doc) => open(own).remove(doc)
    })
  }

  /** @param {any} error @returns {string} */
  function thrown (error) {
    const { code, message, data } = Object(error)
    if (isInteger(code) && typeof message === 'string' && (code < FIRST_RESERVED || code > LAST_RESERVED || code === INVALID_PARAMS)) return stringify({ code, message, data })
    return stringify(assign(describe(error), { status: Object(error).status }))
  }

  /** @param {{ params: any, user: any, seed: string, mostDocuments: number, mostBytes: number }} given */
  kinds.call = function call ({ params, user, ...limits }) {
    const own = current = new Transaction(limits)
    try {
      const result = functionOf().call(libraryOf(), params, faceOf(own, user))
      return `${stringify(result) ?? 'null'}\n${own.texts()}`
    } catch (error) {
      if (error instanceof Internal) throw error
      return `!${thrown(error)}`
    } finally {
      current = null
    }
  }
})(/** @type {any} */ (globalThis))
