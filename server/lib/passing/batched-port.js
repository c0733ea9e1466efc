'use strict'

/**
 * Messages between two threads. Messages of one turn of the event loop go as one, because waking the
 * other thread costs more than a message does.
 */
class BatchedPort {
  #port
  /** @type {any[][]} */
  #out = []
  #isSoon = false

  /**
   * @param {{ postMessage: (message: any) => void, on: (event: 'message', listener: (message: any) => void) => any }} port
   * @param {(message: any[]) => void} receive
   */
  constructor (port, receive) {
    this.#port = port
    port.on('message', messages => { for (const message of messages) receive(message) })
  }

  /** @param {any[]} message what structured clone takes */
  send (message) {
    if (this.#out.push(message) === 1) setImmediate(() => this.#post())
  }

  /**
   * Sends a message, and those that wait, once all promises that are settled now are dealt with: for results that a whole group of requests gets at once.
   *
   * @param {any[]} message
   */
  sendSoon (message) {
    this.#out.push(message)
    if (this.#isSoon) return
    this.#isSoon = true
    process.nextTick(() => this.#post())
  }

  #post () {
    this.#isSoon = false
    if (this.#out.length === 0) return
    const messages = this.#out
    this.#out = []
    this.#port.postMessage(messages)
  }
}

/**
 * Bytes as they may go to another thread: a slice of a larger buffer would take all of that along.
 * @param {any} chunk a string stays one
 */
function ownBytes (chunk) {
  return typeof chunk === 'string' || chunk.byteLength === chunk.buffer.byteLength ? chunk : new Uint8Array(chunk)
}

module.exports = { BatchedPort, ownBytes }
