'use strict'

const crypto = require('node:crypto')
const http = require('node:http')

/**
 * One of the two servers, with a database for one case. Paths go as they are: `fetch` would fold `.` and `..`.
 * All answers of a case are kept, in their order.
 */
class Side {
  #url
  #name = `differential-${crypto.randomUUID()}`
  #databases = new Set()

  /** @type {Array<{ request: string, status: number, type: string, text: string }>} */
  answers = []

  /** @param {string} url with a user's name and password */
  constructor (url) {
    this.#url = new URL(url)
  }

  get name () { return this.#name }

  /** The URL of a database with its credentials, as a replication takes it. */
  url (suffix = '') { return `${this.#url.href.replace(/\/$/, '')}/${this.#name}${suffix}` }

  /** Makes a database, the case's own or another one whose name is longer. */
  async create (suffix = '', query = '') {
    this.#databases.add(`/${this.#name}${suffix}`)
    return this.#send('PUT', `/${this.#name}${suffix}?q=1${query}`)
  }

  /** Asks the case's database. */
  ask (method, rest, body, headers) { return this.server(method, `/${this.#name}${rest}`, body, headers) }

  get (rest, headers) { return this.ask('GET', rest, undefined, headers) }
  put (rest, body, headers) { return this.ask('PUT', rest, body, headers) }
  post (rest, body, headers) { return this.ask('POST', rest, body, headers) }

  /**
   * Asks, and keeps the answer.
   * @param {string} method
   * @param {string} path
   * @param {any} [body] text goes as it is, all else as JSON
   * @param {Record<string, string>} [headers]
   */
  async server (method, path, body, headers) {
    const answer = await this.#send(method, path, body, headers)
    this.answers.push({ request: this.#neutral(`${method} ${path}`), ...answer, text: this.#neutral(answer.text) })
    return answer
  }

  /** The same for both servers. */
  #neutral (text) {
    const { username, password, host } = this.#url
    return text.replaceAll(`${username}:${password}@`, '').replaceAll(this.#name, 'db').replaceAll(host, 'server')
  }

  /** POSTs, and keeps a part of the answer's JSON. @param {(json: any) => any} part */
  async summed (path, body, part) {
    const { status, text, json } = await this.#send('POST', path, body)
    const kept = json === undefined ? text : JSON.stringify(part(json))
    this.answers.push({ request: this.#neutral(`POST ${path} ${JSON.stringify(body)}`), status, type: '', text: this.#neutral(kept) })
  }

  /** Asks without keeping the answer: it is not what is compared. */
  quietly (method, rest, body, headers) { return this.#send(method, `/${this.#name}${rest}`, body, headers) }

  /** @returns {Promise<{ status: number, type: string, text: string, json: any }>} */
  #send (method, path, body, headers) {
    const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
    return new Promise((resolve, reject) => {
      const request = http.request({ host: this.#url.hostname, port: this.#url.port, method, path, headers: this.#headers(text, headers) })
      request.on('error', reject)
      request.on('response', response => {
        const chunks = []
        response.on('error', reject)
        response.on('data', chunk => chunks.push(chunk))
        response.on('end', () => resolve(answerOf(response, Buffer.concat(chunks).toString('utf8'))))
      })
      request.end(text)
    })
  }

  #headers (text, headers) {
    const { username, password } = this.#url
    const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
    return {
      Accept: 'application/json',
      Authorization: `Basic ${Buffer.from(credentials).toString('base64')}`,
      ...(text !== undefined && { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) }),
      ...headers
    }
  }

  async clear () {
    for (const path of this.#databases) await this.#send('DELETE', path)
  }
}

function answerOf (response, text) {
  const type = (response.headers['content-type'] ?? '').replace(/boundary=.*/, 'boundary')
  let json
  try {
    json = JSON.parse(text)
  } catch {
    json = undefined
  }
  return { status: response.statusCode, type, text, json }
}

module.exports = { Side }
