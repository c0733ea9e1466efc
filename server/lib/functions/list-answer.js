'use strict'

const { EMPTY, headerList, readResponse, sandboxed } = require('./function-response')

/** @typedef {import('../dispatch/request').PotorooRequest} PotorooRequest */

/** Bytes that wait for a client before the function has to wait, too. */
const AHEAD = 1024 * 1024

/** Milliseconds in which a client has to take what waits for it. */
const PATIENCE = 30_000

/**
 * The answer of a list function, sent as it comes, at the pace of the client. A client that takes nothing for long
 * is hung up on: a function that waits keeps a thread.
 */
class ListAnswer {
  #req
  #res
  #isHead
  #hasBody = true
  #begun = false
  #closed

  /**
   * @param {PotorooRequest} req
   * @param {import('../dispatch/request').PotorooResponse} res
   */
  constructor (req, res) {
    this.#req = req
    this.#res = res
    this.#isHead = req.method === 'HEAD'
    this.#closed = res.destroyed || res.writableEnded
    res.on('close', () => { this.#closed = true })
  }

  /** Whether it has headers, which may not be on their way yet. */
  get begun () { return this.#begun }

  /** Whether nobody wants more of it. */
  get closed () { return this.#closed || (this.#isHead && this.#begun) }

  /**
   * @param {import('@potoroo/query-server').Piece} piece
   * @returns {Promise<boolean>} when there may be another, whether anybody wants it
   */
  async write (piece) {
    if (this.#closed) return false
    this.#begin(piece)
    if (piece.body.length > 0) await this.#send(piece.body)
    return !this.closed
  }

  /** Ends it with a last piece. @param {any} piece */
  end (piece) {
    if (this.#closed) return
    const isWhole = !this.#begun && piece.failure === undefined
    this.#begin(piece, isWhole ? piece.body.length : undefined)
    if (piece.failure === undefined) return this.#res.end(this.#takes ? piece.body : undefined)
    if (this.#takes) this.#res.write(piece.body)
    this.fail(piece.failure)
  }

  /** If nothing was sent for good there are no headers, either. */
  #begin (/** @type {import('@potoroo/query-server').Piece} */ { head, body, failure }, length = /** @type {number | undefined} */ (undefined)) {
    if (this.#begun || (head === undefined && length === undefined)) return
    const response = head === undefined ? undefined : readResponse(head)
    // A function that failed before it had sent anything says so by its status.
    const isSilent = failure !== undefined && body.length === 0
    const code = isSilent ? failure.status : response?.code ?? 200
    const list = response === undefined ? sandboxed(this.#req, []) : headerList(this.#req, this.#res, { ...response, json: undefined })
    this.#hasBody = !EMPTY.has(code)
    if (length !== undefined && this.#hasBody) list.push('Content-Length', String(length))
    this.#begun = true
    this.#res.writeHead(code, list)
  }

  /** Tells in what is sent what went wrong on the way. @param {any} error */
  fail (error) {
    if (this.#closed) return
    const { status: code, error: name, reason } = error
    this.#res.end(this.#takes ? `\n${JSON.stringify({ code, error: name, reason })}\n` : undefined)
  }

  get #takes () { return this.#hasBody && !this.#isHead }

  /** @param {Buffer} bytes */
  async #send (bytes) {
    if (!this.#takes) return
    this.#res.write(bytes)
    if (this.#res.writableLength > AHEAD) await this.#drained()
  }

  #drained () {
    const res = this.#res
    return /** @type {Promise<void>} */ (new Promise(resolve => {
      const timer = setTimeout(() => this.hangUp(), PATIENCE)
      const done = () => {
        clearTimeout(timer)
        res.off('drain', done)
        res.off('close', done)
        resolve()
      }
      res.on('drain', done)
      res.on('close', done)
    }))
  }

  /** The client has taken too long. */
  hangUp () { if (this.#res.writableNeedDrain) this.#res.destroy() }
}

module.exports = { ListAnswer }
