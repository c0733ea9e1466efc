'use strict'

const { setTimeout: sleep } = require('node:timers/promises')
const { parseText } = require('@potoroo/document-store')
const { ReplicationError, badAnswer } = require('../replication/failure')
const { createAgent, createTunnels, proxyAuthorization } = require('./agent')
const { exchange, readWhole, TooLong } = require('./exchange')
const { Gate } = require('./gate')

/** Milliseconds: the first wait before a request is sent again, and the longest. */
const FIRST_WAIT = 250
const LONGEST_WAIT = 30000

/** Redirections that are followed, one after the other. */
const REDIRECTIONS = 10

/** Bytes of an answer that is no list of documents. */
const ANSWER = 64 * 1024 * 1024

/** Containers around a document in an answer of `_bulk_get`. */
const BULK_GET = 5

/** Counters of requests whose answers are read whole, or as they come. */
const WHOLE = { success: 'responses.success', failure: 'responses.failure' }
const STREAMED = { success: 'stream_responses.success', failure: 'stream_responses.failure' }

const REDIRECTS = new Set([301, 302, 303, 307, 308])

/**
 * The other end of a replication, by HTTP. It sends requests again that failed on their way, were
 * too many (429), or met a fault (408, 500 and above), each time after twice as long, until
 * `retries` are used up or `patience` has passed.
 *
 * @typedef {object} Question
 * @property {Record<string, any>} [query]
 * @property {any} [json] a body
 * @property {string | Buffer} [body]
 * @property {Record<string, string>} [headers]
 * @property {number} [retries] others than the peer's
 * @property {(bytes: Buffer) => any} [take] reads a good answer (200) in a way of its own; undefined: it is read as JSON
 *
 * @typedef {import('./exchange').Answer} Answer
 * @typedef {(request: { method: string, url: URL, target: string }, send: (headers: Record<string, string>) => Promise<Answer>) => Promise<Answer>} Traced
 * @typedef {{ status: number, json: any, text: string, taken?: any }} Whole an answer that was read; `json` null where it is none, or was taken
 */
class Peer {
  #base
  #origin
  #agent
  #gate
  #headers
  #through
  /** To https peers through the proxy. @type {import('undici').Agent | undefined} */
  #tunnels
  #options

  /**
   * @param {import('../request/endpoint').Endpoint} endpoint
   * @param {{ connections: number, timeout: number, retries: number, patience: number, redirections?: number, tls: object, agentName: string, refusal: import('./gate').Refusal, signal: AbortSignal, count?: import('../replication/run').Context['count'], inside?: import('../local/local-database').Requests, onPause?: (failure: ReplicationError, wait: number) => void, traced?: Traced }} options
   *   `patience`: milliseconds in which a request may be sent again; `redirections` that are followed, one after the other;
   *   `refusal`: why a host may not be asked; `inside` answers in the place of a host; `onPause` is told before a request is sent again; `traced` sends each in a span of a trace
   */
  constructor ({ url, headers = [], auth, proxy = null }, options) {
    this.#base = new URL(/** @type {string} */ (url))
    this.#origin = this.#base.origin
    this.#options = options
    this.#gate = new Gate(options.refusal)
    this.#through = proxy === null ? undefined : new URL(proxy)
    this.#agent = createAgent({ ...options, gate: this.#gate })
    this.#tunnels = this.#through && createTunnels({ ...options, gate: this.#gate }, this.#through)
    this.#headers = {
      'User-Agent': options.agentName,
      ...Object.fromEntries(headers),
      ...(auth && { Authorization: `Basic ${Buffer.from(`${auth.username}:${auth.password}`).toString('base64')}` })
    }
  }

  /** The URL without credentials. */
  get shown () { return this.#base.href }

  get timeout () { return this.#options.timeout }

  /**
   * @param {string} method
   * @param {string} path under the database's
   * @param {Question & { limit?: number, documents?: number }} [options]
   *   documents: how many containers there are around documents in the answer: large ones carry their text
   * @returns {Promise<Whole>}
   * @throws {ReplicationError} http_request_failed
   * @throws {TooLong}
   */
  request (method, path, { json, limit = ANSWER, documents = BULK_GET, take, ...options } = {}) {
    const body = json === undefined ? options.body : JSON.stringify(json)
    return this.#again(method, path, WHOLE, options.retries, async () => {
      const response = await this.#send(method, path, { ...options, body })
      const bytes = await readWhole(response.body, limit)
      const taken = response.statusCode === 200 ? take?.(bytes) : undefined
      if (taken !== undefined) return { status: response.statusCode, text: '', json: null, taken }
      const text = bytes.toString('utf8')
      return { status: response.statusCode, text, json: await parse(text, response, documents) }
    })
  }

  /**
   * Opens an answer that is read as it comes. Once its body has begun it is not asked for again.
   * @param {string} method
   * @param {string} path under the database's
   * @param {Question} [options]
   * @returns {Promise<Answer>}
   */
  open (method, path, options = {}) {
    const body = options.json === undefined ? undefined : JSON.stringify(options.json)
    return this.#again(method, path, STREAMED, options.retries, () => this.#send(method, path, { ...options, body }))
  }

  /**
   * Sends a body that can be read only once, so not again.
   * @param {string} method
   * @param {string} path
   * @param {{ query: any, headers: Record<string, string>, body: AsyncIterable<Uint8Array> }} options
   */
  async upload (method, path, { query, headers, body }) {
    const response = await this.#send(method, path, { query, headers, body, redirections: 0 })
    const text = (await readWhole(response.body, ANSWER)).toString('utf8')
    return { status: response.statusCode, text, json: await parse(text, response) }
  }

  /** @template {Answer | Whole} T @param {string} method @param {string} path @param {typeof WHOLE} counters @param {number | undefined} retries @param {() => Promise<T>} attempt @returns {Promise<T>} */
  async #again (method, path, counters, retries = this.#options.retries, attempt) {
    const start = performance.now()
    let wait = FIRST_WAIT
    for (let left = retries; ; left--) {
      /** @type {{ response: any, error: any }} */
      const { response, error } = await attempt().then(response => ({ response, error: null }), error => ({ response: null, error }))
      this.#options.signal.throwIfAborted()
      const status = response?.status ?? response?.statusCode
      // A peer that has no such thing (501) will have none later.
      const isGood = error === null && status !== 429 && status !== 408 && (status < 500 || status === 501)
      // A peer that has too much to do is no failure: only patience ends it.
      if (status !== 429) this.#options.count?.(isGood ? counters.success : counters.failure)
      if (error instanceof TooLong || error instanceof ReplicationError) throw error
      if (isGood) return response
      const late = performance.now() - start + wait > this.#options.patience
      if (late || (left <= 0 && status !== 429)) throw this.#failure(method, path, status, error)
      response?.body?.destroy()
      const pause = Math.max(wait, retryAfter(response)) * (0.75 + Math.random() / 2)
      this.#options.onPause?.(this.#failure(method, path, status, error), pause)
      await sleep(pause, undefined, { signal: this.#options.signal })
      wait = Math.min(wait * 2, LONGEST_WAIT)
    }
  }

  /** @param {string} method @param {string} path @param {number | undefined} status @param {any} error */
  #failure (method, path, status, error) {
    const { url, target } = this.#urlOf(path)
    const what = `${method} ${url.origin}${target.replace(/\?.*/s, '')}`
    if (status === 429) return badAnswer('max_backoff', { status }, what)
    if (status !== undefined) return badAnswer('http_error_code', { status }, `${status} ${what}`)
    if (error.code === 'ENOTFOUND') return new ReplicationError('nxdomain', `could not resolve ${this.shown}`, error)
    return new ReplicationError('http_request_failed', `${what}: ${error.code ?? error.message}`, error)
  }

  /** @param {string} method @param {string} path @param {{ query?: any, headers?: any, body?: any, redirections?: number }} options */
  async #send (method, path, { query, headers, body, redirections = this.#options.redirections ?? REDIRECTIONS }) {
    let { url, target } = this.#urlOf(path, query)
    for (let left = redirections; ; left--) {
      const response = await this.#exchange(url, target, method, headers, body)
      if (!REDIRECTS.has(response.statusCode) || response.headers.location === undefined) return response
      // Its body may have no end.
      response.body.destroy()
      if (left <= 0) throw Object.assign(badAnswer('too_many_redirects', { status: response.statusCode }, `${method} ${this.shown}`), { location: response.headers.location })
      url = this.#redirected(/** @type {string} */ (response.headers.location), url)
      target = url.pathname + url.search
      if (response.statusCode === 303) [method, body] = ['GET', undefined]
    }
  }

  /** @param {any} body @param {URL} url @param {string} target @param {string} method @param {Record<string, string> | undefined} headers */
  async #exchange (url, target, method, headers, body) {
    this.#options.count?.('requests')
    // Somebody else is not told who we are.
    const known = url.origin === this.#origin
    /** @type {Record<string, string | number>} */
    const all = { Accept: 'application/json', ...(known ? this.#headers : { 'User-Agent': this.#options.agentName }), ...headers }
    if (typeof body === 'string' || Buffer.isBuffer(body)) {
      all['Content-Length'] = Buffer.byteLength(body)
      all['Content-Type'] ??= 'application/json'
    }
    const { inside, signal, traced } = this.#options
    if (inside !== undefined) return inside({ path: target, method, headers: all, body, signal })
    if (traced === undefined) return this.#out(url, target, method, all, body)
    return traced({ method, url, target }, more => this.#out(url, target, method, { ...all, ...more }, body))
  }

  /** @param {URL} url @param {string} target @param {string} method @param {Record<string, string | number>} all @param {any} body */
  async #out (url, target, method, all, body) {
    const { signal } = this.#options
    if (this.#through === undefined) return exchange(this.#agent, { origin: url.origin, path: target, method, headers: all, body, signal })
    // Into a tunnel the proxy does not see.
    if (url.protocol === 'https:') return exchange(/** @type {import('undici').Agent} */ (this.#tunnels), { origin: url.origin, path: target, method, headers: all, body, signal })
    await this.#gate.checkBehindProxy(url.hostname.replace(/^\[(.*)\]$/, '$1'), url.port || 80)
    return exchange(this.#agent, { origin: this.#through.origin, path: url.origin + target, method, headers: { ...all, Host: url.host, ...proxyAuthorization(this.#through) }, body, signal })
  }

  /**
   * `target` is what is asked for: a URL would fold the segments of an id that is `.` or `..`.
   * @param {string} path
   * @param {Record<string, any>} [query]
   */
  #urlOf (path, query = {}) {
    const url = new URL(this.#base)
    for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.append(name, String(value))
    const separator = path === '' || url.pathname.endsWith('/') ? '' : '/'
    const target = url.pathname + separator + path + url.search
    if (path !== '') url.pathname += separator + path
    return { url, target }
  }

  /** @param {string} location @param {URL} from */
  #redirected (location, from) {
    const url = URL.canParse(location, from.href) ? new URL(location, from) : null
    if (url === null || !/^https?:$/.test(url.protocol)) throw new ReplicationError('bad_redirect', `${this.shown} redirects to what is no URL`)
    url.username = url.password = ''
    return url
  }

  close () {
    this.#agent.destroy()
    this.#tunnels?.destroy()
  }
}

/** @param {string} text @param {Answer} response @param {number} [documents] */
async function parse (text, response, documents = BULK_GET) {
  try {
    return await parseText(text, { documents })
  } catch (cause) {
    // A proxy's page says by its status what it has to say.
    if (response.statusCode >= 300) return null
    throw Object.assign(new Error('invalid_json'), { code: 'invalid_json', cause })
  }
}

/**
 * Milliseconds that the peer asks to be left alone for.
 * @param {any} response
 */
function retryAfter (response) {
  const seconds = Number(response?.headers?.['retry-after'])
  return seconds > 0 ? Math.min(seconds * 1000, LONGEST_WAIT) : 0
}

module.exports = { Peer }
