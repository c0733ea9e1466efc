'use strict'

/** The least of a client: JSON in and out, as one user. */
class HttpClient {
  #url
  #headers = { 'Content-Type': 'application/json' }

  /**
   * @param {string} url
   * @param {{ name: string, password: string }} [user]
   */
  constructor (url, user) {
    this.#url = url
    if (user) this.#headers.Authorization = `Basic ${Buffer.from(`${user.name}:${user.password}`).toString('base64')}`
  }

  /** @returns {Promise<{ status: number, body: any }>} */
  async request (method, path, body) {
    const response = await fetch(this.#url + path, {
      method,
      headers: this.#headers,
      body: body === undefined ? undefined : JSON.stringify(body)
    })
    return { status: response.status, body: await response.json() }
  }

  /** The body of an answer that has to be a good one. */
  async ask (method, path, body) {
    const answer = await this.request(method, path, body)
    if (answer.status >= 400) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body
  }
}

module.exports = { HttpClient }
