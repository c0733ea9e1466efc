'use strict'

const assert = require('node:assert/strict')
const { open } = require('./request')

/** A live feed of changes, read line by line as it comes. */
class LiveFeed {
  #lines
  #abort = new AbortController()

  /** Opens it and waits until the server has begun to answer. */
  static async open (path, { method = 'GET', body, headers } = {}) {
    const feed = new LiveFeed()
    const response = await open(method, path, { body, headers, signal: feed.#abort.signal })
    assert.equal(response.status, 200)
    feed.headers = response.headers
    feed.#lines = lines(response.body)
    return feed
  }

  /** @returns {Promise<string | null>} the next line, null at the end */
  async line () {
    const { value, done } = await this.#lines.next()
    return done ? null : value
  }

  /** @returns {Promise<any>} the next line that is not blank, as JSON; null at the end */
  async next () {
    for (let line; (line = await this.line()) !== null;) if (line.trim() !== '') return JSON.parse(line)
    return null
  }

  /** Hangs up. */
  close () { this.#abort.abort() }
}

async function * lines (body) {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of body) {
    rest += decoder.decode(chunk, { stream: true })
    const complete = rest.split('\n')
    rest = complete.pop()
    yield * complete
  }
  if (rest !== '') yield rest
}

module.exports = { LiveFeed }
