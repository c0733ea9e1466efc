'use strict'

const { carrySentAt, parseExact } = require('@potoroo/document-store')
const { Agent, request } = require('undici')
const { ImportError } = require('../import-error')
const { retry } = require('../retry')

/** Statuses that may be others a moment later: overload, a proxy without its server, CouchDB's time-outs. */
const PASSING = new Set([408, 429, 500, 502, 503, 504])

/** Milliseconds without an answer, or without a byte of it. */
const PATIENCE = 120_000

/** Requests at once, to one server. */
const CONNECTIONS = 8

/**
 * Speaks HTTP with one database or server. It tries again what may pass, ever more slowly.
 *
 * @typedef {(value: any) => any} DocumentsOf takes the documents out of an answer that are to keep their integers
 * @typedef {import('undici').Dispatcher.ResponseData} Answer
 * @typedef {import('undici').Dispatcher.ResponseData['body']} AnswerBody
 */
class Client {
  #agent = new Agent({ connections: CONNECTIONS, headersTimeout: PATIENCE, bodyTimeout: PATIENCE })
  #headers
  #options

  /**
   * @param {{ url: string, authorization?: string }} address
   * @param {{ tries?: number, signal?: AbortSignal, onPause?: (message: string) => void }} [options]
   *   `tries`: default 8, which is about a minute
   */
  constructor ({ url, authorization }, options = {}) {
    this.url = url
    this.#headers = { 'user-agent': 'potoroo-import', accept: 'application/json', ...(authorization && { authorization }) }
    this.#options = options
  }

  /**
   * @param {string} path behind the address, with its query
   * @param {DocumentsOf} [documentsOf]
   * @returns {Promise<any>} the answer's JSON
   * @throws UNAUTHORIZED, SOURCE_REFUSED (with `status`), SOURCE_UNREACHABLE
   */
  async get (path, documentsOf = undefined) { return (await this.exchange('GET', path, undefined, { documentsOf })).value }

  /** @param {string} path @param {any} body @returns {Promise<any>} the answer's JSON */
  async post (path, body) { return (await this.exchange('POST', path, body)).value }

  /** @param {string} path @param {any} [body] @returns {Promise<any>} the answer's JSON */
  async put (path, body) { return (await this.exchange('PUT', path, body)).value }

  /**
   * @param {string} method
   * @param {string} path
   * @param {any} [body] a string is JSON already
   * @param {{ tries?: number, documentsOf?: DocumentsOf, documentsAt?: string[] }} [options] documents at the path
   *   `documentsAt` keep all of their text
   * @returns {Promise<{ value: any, length: number }>} and how long its text is
   */
  exchange (method, path, body, { tries = this.#options.tries ?? 8, documentsOf, documentsAt } = {}) {
    const { signal, onPause } = this.#options
    const text = typeof body === 'string' ? body : body && JSON.stringify(body)
    return retry(() => this.#json(method, path, text, { documentsOf, documentsAt }), {
      tries,
      passing: isPassing,
      signal,
      onPause: (error, pause) => onPause?.(`${error.message}; again in ${(pause / 1000).toFixed(1)} s`)
    })
  }

  /**
   * Returns the answer's JSON, undefined where the server has nothing of the kind.
   * @param {string} path
   * @param {DocumentsOf} [documentsOf]
   * @returns {Promise<any>}
   */
  async find (path, documentsOf = undefined) {
    try {
      return await this.get(path, documentsOf)
    } catch (error) {
      if ([400, 404, 405, 501].includes(error.status)) return undefined
      throw error
    }
  }

  /**
   * Streams: the answer's body is not read and not decompressed. Nothing is tried again.
   *
   * @param {string} method
   * @param {string} path
   * @param {{ headers?: Record<string, string>, body?: any }} [options]
   */
  async stream (method, path, { headers, body } = {}) {
    const answer = await this.#request(method, path, { headers, body })
    if (answer.statusCode >= 300) throw await this.#refusal(answer)
    return answer
  }

  /**
   * Reads a streamed answer's body; a lost connection is SOURCE_UNREACHABLE.
   * @param {AsyncIterable<Buffer>} body
   */
  async * reading (body) {
    try {
      yield * body
    } catch (error) {
      throw this.#unreachable(error)
    }
  }

  /**
   * @param {string} method
   * @param {string} path
   * @param {string | undefined} body
   * @param {{ documentsOf?: DocumentsOf, documentsAt?: string[] }} documents
   */
  async #json (method, path, body, { documentsOf, documentsAt }) {
    const headers = body === undefined ? undefined : { 'content-type': 'application/json' }
    const answer = await this.#request(method, path, { headers, body })
    if (answer.statusCode >= 300) throw await this.#refusal(answer)
    const text = await this.#text(answer.body)
    try {
      const value = parseExact(text, documentsOf)
      if (documentsAt !== undefined) carrySentAt(value, text, documentsAt)
      return { value, length: text.length }
    } catch (cause) {
      throw new ImportError('NOT_COUCHDB', { source: this.url, cause })
    }
  }

  /** @param {string} method @param {string} path @param {{ headers?: Record<string, string>, body?: any }} options @returns {Promise<Answer>} */
  async #request (method, path, { headers, body }) {
    const { signal } = this.#options
    try {
      return await request(this.url + path, { method, dispatcher: this.#agent, headers: { ...this.#headers, ...headers }, body, signal })
    } catch (error) {
      throw this.#unreachable(error)
    }
  }

  /** @param {AnswerBody} body */
  async #text (body) {
    try {
      return await body.text()
    } catch (error) {
      throw this.#unreachable(error)
    }
  }

  /** @param {any} error */
  #unreachable (error) {
    if (this.#options.signal?.aborted) return this.#options.signal.reason
    const why = error.errors?.[0]?.message ?? error.message
    return new ImportError('SOURCE_UNREACHABLE', { source: this.url, why, cause: error })
  }

  /** @param {Answer} answer */
  async #refusal ({ statusCode: status, headers, body }) {
    const text = await this.#text(body)
    const { error, reason } = parseRefusal(text)
    const why = `${status}${error ? ` ${error}` : ''}${reason ? `: ${reason}` : ''}`
    if (status === 401 || status === 403) return new ImportError('UNAUTHORIZED', { source: this.url, why, status })
    const moved = status < 400 && headers.location ? `it moved to ${headers.location}` : why
    return new ImportError('SOURCE_REFUSED', { source: this.url, why: moved, status })
  }

  async close () { await this.#agent.destroy() }
}

/**
 * Tells whether trying again may help.
 * @param {any} error
 * @returns {boolean}
 */
function isPassing (error) {
  return error.code === 'SOURCE_UNREACHABLE' || PASSING.has(error.status)
}

/** @param {string} text @returns {{ error?: string, reason?: string }} */
function parseRefusal (text) {
  try {
    return JSON.parse(text) ?? {}
  } catch {
    return {}
  }
}

module.exports = { Client, isPassing }
