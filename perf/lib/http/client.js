'use strict'

const http = require('node:http')

/** A small client that keeps its connections, for load and for filling databases. */
class Client {
  #agent
  #base
  #connections

  /**
   * @param {string} url of the server, with credentials where it wants some
   * @param {number} connections the most requests at a time
   */
  constructor (url, connections) {
    const { hostname, port, username, password } = new URL(url)
    this.#connections = connections
    this.#agent = new http.Agent({ keepAlive: true, maxSockets: connections, scheduling: 'fifo' })
    this.#base = { agent: this.#agent, hostname, port, auth: username ? `${decodeURIComponent(username)}:${decodeURIComponent(password)}` : undefined }
  }

  /**
   * @param {string} method
   * @param {string} path
   * @param {{ json?: object | boolean, bytes?: Buffer, headers?: object, status?: number }} [options] body, and the only
   *   status that is right
   * @returns {Promise<Buffer>} the body of the answer
   */
  request (method, path, { json, bytes, headers: more, status = 200 } = {}) {
    const body = json === undefined ? bytes : Buffer.from(JSON.stringify(json))
    const headers = { ...(body && { 'content-type': json === undefined ? 'application/octet-stream' : 'application/json', 'content-length': body.length }), ...more }
    return new Promise((resolve, reject) => {
      const request = http.request({ ...this.#base, method, path, headers }, (response) => {
        const chunks = []
        response.on('data', (chunk) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () => {
          const answer = Buffer.concat(chunks)
          if (response.statusCode === status) resolve(answer)
          else reject(new Error(`${method} ${path}: ${response.statusCode} ${answer.subarray(0, 200)}`))
        })
      })
      request.on('error', reject)
      request.end(body)
    })
  }

  /** Does `work(start)` to `work(start + count - 1)`, over all connections at once. */
  async concurrently (start, count, work) {
    let next = start
    const worker = async () => {
      while (next < start + count) await work(next++)
    }
    await Promise.all(Array.from({ length: this.#connections }, worker))
  }

  close () {
    this.#agent.destroy()
  }
}

module.exports = { Client }
