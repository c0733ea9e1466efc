'use strict'

const { parseExact } = require('@potoroo/document-store')
const { openRemote } = require('@potoroo/replicator')
const { ImportError } = require('../import/import-error')

/** Tries of a request that may succeed later: about a minute. */
const TRIES = 8

/** Answers that say that the server has nothing of the kind. */
const ABSENT = new Set([400, 404, 405, 501])

/**
 * A database elsewhere, or a server, by the replicator's client; with an import's errors: UNAUTHORIZED, SOURCE_REFUSED (with `status`),
 * SOURCE_UNREACHABLE, NOT_COUCHDB.
 *
 * @typedef {import('@potoroo/replicator').RemoteDatabase} RemoteDatabase
 * @typedef {Parameters<RemoteDatabase['fetch']>} Fetch
 * @typedef {{ query?: Record<string, any>, json?: any, body?: string }} Asked
 */
class Remote {
  #database
  #signal

  /**
   * @param {{ url: string, authorization?: string }} address
   * @param {import('../..').HttpOptions} [options]
   */
  constructor ({ url, authorization }, { tries = TRIES, signal, onPause } = {}) {
    this.url = url
    this.#signal = signal
    this.#database = openRemote({ url, authorization }, {
      agentName: 'potoroo-import',
      retries: tries - 1,
      signal,
      onPause: (failure, pause) => onPause?.(`${this.#toError(failure).message}; again in ${(pause / 1000).toFixed(1)} s`)
    })
  }

  /**
   * @param {string} method
   * @param {string} path behind the address
   * @param {Asked} [asked]
   * @param {(value: any) => any} [documentsOf] takes the documents out of the answer that are to keep their integers
   * @returns {Promise<any>} the answer's JSON
   */
  async ask (method, path, asked, documentsOf) {
    const { status, json, text } = await this.#failing(this.#database.request(method, path, asked))
    if (status >= 300) throw this.#refusal(status, `${status}${json?.error ? ` ${json.error}` : ''}${json?.reason ? `: ${json.reason}` : ''}`)
    return parseExact(text, documentsOf)
  }

  /**
   * Returns the answer's JSON, undefined where the server has nothing of the kind.
   * @param {string} path
   * @param {Record<string, any>} [query]
   * @param {(value: any) => any} [documentsOf]
   */
  async find (path, query, documentsOf) {
    try {
      return await this.ask('GET', path, { query }, documentsOf)
    } catch (error) {
      if (ABSENT.has(error.status)) return undefined
      throw error
    }
  }

  /** @param {any} since @param {() => number} [limitOf] */
  changes (since, limitOf) { return this.reading(this.#database.untilNow(since, limitOf)) }

  /** @param {Fetch[0]} wanted @param {Fetch[1]} how */
  fetch (wanted, how) { return this.reading(this.#database.fetch(wanted, how)) }

  /** @param {import('@potoroo/replicator').RemoteDocument[]} documents */
  write (documents) { return this.#failing(this.#database.write(documents)) }

  /**
   * Returns those of some revisions that are not there.
   * @param {Record<string, string[]>} revs by document
   * @returns {Promise<Record<string, string[]>>} of all these documents
   */
  async missing (revs) {
    /** @type {Map<string, string[]>} */
    const missing = new Map(Object.keys(revs).map(id => [id, []]))
    const found = missing.size === 0 ? [] : await this.#failing(this.#database.revsDiff(new Map(Object.entries(revs))))
    for (const { id, rev } of found) missing.get(id)?.push(rev)
    return Object.fromEntries(missing)
  }

  /** @template T @param {AsyncIterable<T>} items that come from there @returns {AsyncGenerator<T, void>} */
  async * reading (items) {
    try {
      yield * items
    } catch (error) {
      throw this.#toError(error)
    }
  }

  /** @template T @param {Promise<T>} promise */
  #failing (promise) { return promise.catch(error => { throw this.#toError(error) }) }

  /** @param {any} error */
  #toError (error) {
    if (this.#signal?.aborted) return this.#signal.reason
    if (error instanceof ImportError) return error
    const { answered, location, cause = error, reason = error.message } = error
    if (answered !== undefined) return this.#refusal(answered, location === undefined ? reason : `it moved to ${location}`)
    if (cause.code === 'invalid_json') return new ImportError('NOT_COUCHDB', { source: this.url, cause })
    // Something is wrong with what it said.
    if (cause.reason !== undefined) return new ImportError('SOURCE_REFUSED', { source: this.url, why: reason, cause })
    return new ImportError('SOURCE_UNREACHABLE', { source: this.url, why: cause.errors?.[0]?.message ?? cause.message, cause })
  }

  /** @param {number} status @param {string} why */
  #refusal (status, why) {
    return new ImportError(status === 401 || status === 403 ? 'UNAUTHORIZED' : 'SOURCE_REFUSED', { source: this.url, why, status })
  }

  close () { return this.#database.close() }
}

module.exports = { Remote }
