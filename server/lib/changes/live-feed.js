'use strict'

const { CouchError } = require('@potoroo/errors')
const { numberOf } = require('../stats/metrics')

const FOLLOWERS = numberOf('couchdb.httpd.clients_requesting_changes')

/**
 * @template Sent
 * @typedef {object} FeedWriter
 * @property {import('../http/response-writer').ResponseWriter} out
 * @property {number} count of what was written
 * @property {boolean} closed
 * @property {(page: any) => Promise<void>} write
 * @property {() => Promise<void>} flush
 * @property {() => void} heartbeat
 * @property {(sent: Sent) => void} end
 * @property {(error: CouchError) => void} [fail] says what went wrong, where the format can; else the answer is broken off
 */

/**
 * A feed of pages as they come, until the client hangs up, the limit is reached, the database or the
 * server closes, or, without heartbeats, until nothing happened for long enough.
 *
 * There may be tens of thousands: one holds no request and no response.
 *
 * @template {AsyncIterable<any[]> & { isBusy?: boolean }} Sent isBusy: what was asked is not told yet, so that silence is no end
 */
class LiveFeed {
  #log
  #counts
  #closing
  #writer
  #sent
  #heartbeat
  #silence
  #once
  #last
  #until
  #ending = new AbortController()
  #end = () => this.#ending.abort()

  /**
   * @param {any} service
   * @param {(signal: AbortSignal) => Sent} follow gives what is sent, page by page, until the signal
   * @param {FeedWriter<Sent>} writer
   * @param {{ heartbeat: boolean, silence: number, limit?: number, once?: boolean, until?: (end: () => void) => () => void }} options
   *   once: whether the first page that has something is also the last; until: told how to end it, returns what stops that
   */
  constructor ({ log, closing, counts }, follow, writer, { heartbeat, silence, limit = Infinity, once = false, until = () => () => {} }) {
    this.#log = log
    this.#counts = counts
    this.#closing = closing
    this.#writer = writer
    this.#sent = follow(this.#ending.signal)
    this.#heartbeat = heartbeat
    this.#silence = silence
    this.#once = once
    this.#until = until
    this.#last = writer.count + limit
  }

  /** @returns {Promise<Sent>} what was sent */
  async run () {
    const writer = this.#writer
    const { count } = writer
    const timer = setTimeout(() => this.#onSilence(timer), this.#silence)
    writer.out.onClose(this.#end)
    this.#closing.addEventListener('abort', this.#end)
    if (writer.closed || this.#closing.aborted) this.#end()
    let stop = () => {}
    try {
      stop = this.#until(this.#end)
      for await (const page of this.#sent) {
        await writer.write(page)
        await writer.flush()
        if (page.length > 0) timer.refresh()
        if ((this.#once && page.length > 0) || writer.count >= this.#last) break
      }
    } catch (error) {
      // A database that closes before it is followed has nothing more to tell.
      if (error.code !== 'CLOSED' || writer.count > count) throw error
    } finally {
      clearTimeout(timer)
      stop()
      writer.out.offClose(this.#end)
      this.#closing.removeEventListener('abort', this.#end)
    }
    return this.#sent
  }

  /** @param {NodeJS.Timeout} timer */
  #onSilence (timer) {
    // A result may take long to find.
    if (!this.#heartbeat && !this.#sent.isBusy) return this.#end()
    if (this.#heartbeat) this.#writer.heartbeat()
    timer.refresh()
  }

  /** Runs to its end by itself, after its handler has returned. */
  async goOn () {
    // The dispatcher counts no longer than its handler runs.
    this.#counts.count(FOLLOWERS)
    try {
      this.#writer.end(await this.run())
    } catch (error) {
      if (!(error instanceof CouchError)) this.#log.line('error', `A live feed: ${error.stack}`)
      if (error instanceof CouchError && this.#writer.fail !== undefined) this.#writer.fail(error)
      else this.#writer.out.destroy()
    } finally {
      this.#counts.count(FOLLOWERS, -1)
    }
  }
}

module.exports = { LiveFeed }
