'use strict'

const { CouchError } = require('@potoroo/errors')
const { numberOf } = require('../stats/metrics')

const FOLLOWERS = numberOf('couchdb.httpd.clients_requesting_changes')

/**
 * Changes as they happen, until the client hangs up, the limit is reached, the database or the
 * server closes, or, without heartbeats, until nothing happened for long enough.
 *
 * There may be tens of thousands: one holds no request and no response.
 */
class LiveFeed {
  #log
  #counts
  #closing
  #writer
  #changes
  #heartbeat
  #silence
  #once
  #last
  #ending = new AbortController()
  #end = () => this.#ending.abort()

  /**
   * @param {any} service
   * @param {import('../databases/database-view').AnyDatabase} database
   * @param {import('./format').ChangesWriter} writer
   * @param {{ options: import('@potoroo/document-store').ChangesOptions, heartbeat: boolean, silence: number }} request
   * @param {boolean} once whether the first changes are also the last
   */
  constructor ({ log, closing, counts }, database, writer, { options, heartbeat, silence }, once) {
    this.#log = log
    this.#counts = counts
    this.#closing = closing
    this.#writer = writer
    this.#changes = database.follow({ ...options, signal: this.#ending.signal })
    this.#heartbeat = heartbeat
    this.#silence = silence
    this.#once = once
    this.#last = writer.count + (options.limit ?? Infinity)
  }

  /** @returns {Promise<import('@potoroo/document-store').Changes>} what was sent */
  async run () {
    const writer = this.#writer
    const timer = setTimeout(() => this.#onSilence(timer), this.#silence)
    writer.out.onClose(this.#end)
    this.#closing.addEventListener('abort', this.#end)
    if (writer.closed || this.#closing.aborted) this.#end()
    try {
      for await (const page of this.#changes) {
        await writer.write(page)
        await writer.flush()
        if (page.length > 0) timer.refresh()
        if ((this.#once && page.length > 0) || writer.count >= this.#last) break
      }
      return this.#changes
    } finally {
      clearTimeout(timer)
      writer.out.offClose(this.#end)
      this.#closing.removeEventListener('abort', this.#end)
    }
  }

  /** @param {NodeJS.Timeout} timer */
  #onSilence (timer) {
    if (!this.#heartbeat) return this.#end()
    this.#writer.heartbeat()
    timer.refresh()
  }

  /** Runs to its end by itself, after its handler has returned. */
  async goOn () {
    // The dispatcher counts no longer than its handler runs.
    this.#counts.count(FOLLOWERS)
    try {
      const { lastSeq, pending } = await this.run()
      this.#writer.end(lastSeq, pending)
    } catch (error) {
      if (!(error instanceof CouchError)) this.#log.line('error', `A live feed: ${error.stack}`)
      this.#writer.out.destroy()
    } finally {
      this.#counts.count(FOLLOWERS, -1)
    }
  }
}

module.exports = { LiveFeed }
