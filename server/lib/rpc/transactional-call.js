'use strict'

const crypto = require('node:crypto')
const { parseText, transact } = require('@potoroo/document-store')
const { CouchError, createError } = require('@potoroo/errors')
const { prepareOneOfMany } = require('../documents/input')
const { limitDocuments } = require('../documents/size-limits')
const { CallReads } = require('./call-reads')
const { errorOfCall, errorThrown } = require('./call-errors')

/** @typedef {import('../dispatch/request').DatabaseRequest} DatabaseRequest */
/** @typedef {import('@potoroo/query-server').Functions} Functions */
/** @typedef {{ timeout: number, documents: number, bytes: number, attempts: number }} Limits timeout: milliseconds of all attempts */

/** The last call that is tried again, by store: such calls take turns, so that each has a chance. @type {WeakMap<object, Promise<unknown>>} */
const turns = new WeakMap()

/**
 * Calls a function, and commits what it writes if all that it read still holds; otherwise calls it again.
 *
 * @param {DatabaseRequest} req who calls
 * @param {any} store
 * @param {() => Functions} functionsOf
 * @param {any} params
 * @param {Limits} limits
 * @returns {Promise<string>} JSON of what it returned
 * @throws CallError
 */
async function callInTransaction (req, store, functionsOf, params, limits) {
  try {
    const call = new TransactionalCall(req, store, functionsOf(), params, limits)
    return await call.attempt() ?? await inTurn(store, () => call.attemptAgain())
  } catch (error) {
    throw errorOfCall(error)
  }
}

/** @template T @param {object} store @param {() => Promise<T>} run @returns {Promise<T>} */
function inTurn (store, run) {
  const result = (turns.get(store) ?? Promise.resolve()).then(run)
  turns.set(store, result.catch(() => {}))
  return result
}

class TransactionalCall {
  #req
  #store
  #functions
  #params
  #limits
  #deadline

  /** @param {DatabaseRequest} req @param {any} store @param {Functions} functions @param {any} params @param {Limits} limits */
  constructor (req, store, functions, params, limits) {
    this.#req = req
    this.#store = store
    this.#functions = functions
    this.#params = params
    this.#limits = limits
    this.#deadline = performance.now() + limits.timeout
  }

  /** @returns {Promise<string>} */
  async attemptAgain () {
    for (let attempt = 2; attempt <= this.#limits.attempts; attempt++) {
      const result = await this.attempt()
      if (result !== null) return result
      if (performance.now() > this.#deadline) throw createError('FUNCTION_TIMEOUT')
    }
    throw createError('CONFLICT', { reason: `Other writes came first in ${this.#limits.attempts} attempts.` })
  }

  /** @returns {Promise<string | null>} null where what it read was changed by others */
  async attempt () {
    const { documents, bytes } = this.#limits
    const reads = new CallReads(this.#req, this.#store, { documents, bytes, deadline: this.#deadline })
    let outcome
    try {
      outcome = await this.#req.service.queryServer.call(this.#functions, this.#arguments(), question => reads.answer(question))
    } catch (error) {
      // It may have gone wrong because of two documents that were never there together.
      if (reads.isOfOneMoment || await this.#commit(reads, [])) throw error
      return null
    }
    if ('thrown' in outcome) {
      if (reads.isOfOneMoment || await this.#commit(reads, [])) throw errorThrown(await parsed(outcome.thrown))
      return null
    }
    const { result, writes } = outcome
    if (result.length > bytes) throw createError('TOO_LARGE', { reason: `A call gives at most ${bytes} bytes` })
    const docs = await this.#documents(writes)
    return (docs.length === 0 && reads.isOfOneMoment) || await this.#commit(reads, docs) ? result : null
  }

  #arguments () {
    const { name, roles } = this.#req.user
    const { documents: mostDocuments, bytes: mostBytes } = this.#limits
    return JSON.stringify({ params: this.#params, user: { name, roles }, seed: crypto.randomBytes(10).toString('hex'), mostDocuments, mostBytes })
  }

  /** @param {string} text @returns {Promise<any[]>} */
  async #documents (text) {
    const docs = await parsed(text)
    if (!Array.isArray(docs)) throw nonsense()
    for (const doc of docs) prepareOneOfMany(doc, true)
    limitDocuments(this.#req, docs, Infinity)
    return docs
  }

  /** @param {CallReads} reads @param {any[]} writes @returns {Promise<boolean>} false where what was read no longer holds */
  async #commit (reads, writes) {
    if (reads.lost) return false
    const { reads: read, unless } = reads.conditions
    try {
      await transact(this.#req.database, { reads: read, writes }, { unless })
      return true
    } catch (error) {
      if (error.code === 'CONFLICT') return false
      throw error
    }
  }
}

/** Reads JSON of a function, which may have changed what makes it. @param {string} text */
async function parsed (text) {
  try {
    return await parseText(text, { documents: 1 })
  } catch (cause) {
    throw cause instanceof CouchError ? cause : nonsense(cause)
  }
}

/** @param {unknown} [cause] */
function nonsense (cause = undefined) {
  return createError('FUNCTION_CRASHED', { cause })
}

module.exports = { callInTransaction }
