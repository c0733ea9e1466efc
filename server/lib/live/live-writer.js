'use strict'

/** Writes the events of one live query in its feed's format. */
class LiveWriter {
  #out
  #isEventSource
  count = 0

  /** @param {import('../http/response-writer').ResponseWriter} out @param {string} feed `continuous` or `eventsource` */
  constructor (out, feed) {
    this.#out = out
    this.#isEventSource = feed === 'eventsource'
  }

  get closed () { return this.#out.closed }
  get out () { return this.#out }

  /** @param {Array<{ text: string, bookmark: string }>} events */
  async write (events) {
    for (const { text, bookmark } of events) {
      this.#out.push(this.#isEventSource ? `data: ${text}\nid: ${bookmark}\n\n` : `${text}\n`)
      this.count++
      if (this.#out.full) await this.#out.flush()
    }
  }

  /** Tells the client that it is heard. */
  greet () {
    this.#out.push('\n')
    return this.#out.flush()
  }

  flush () { return this.#out.flush() }

  heartbeat () { this.#out.offer(this.#isEventSource ? 'event: heartbeat\ndata: \n\n' : '\n') }

  /** @param {{ bookmark: string }} sent */
  end ({ bookmark }) {
    if (!this.#isEventSource) this.#out.push(`{"type":"end","bookmark":"${bookmark}"}\n`)
    this.#out.end()
  }

  /** The answer has begun, so that it says itself what went wrong. @param {import('@potoroo/errors').CouchError} error */
  fail ({ error, reason }) {
    const text = JSON.stringify({ type: 'error', error, reason })
    this.#out.push(this.#isEventSource ? `data: ${text}\n\n` : `${text}\n`)
    this.#out.end()
  }
}

module.exports = { LiveWriter }
