'use strict'

/**
 * Messages between two threads. Messages of one turn of the event loop go as one, because waking the
 * other thread costs more than a message does.
 */
class Mail {
  #port
  /** @type {any[][]} */
  #out = []

  /**
   * @param {{ postMessage: (message: any) => void, on: (event: 'message', listener: (message: any) => void) => any }} port
   * @param {(letter: any[]) => void} receive
   */
  constructor (port, receive) {
    this.#port = port
    port.on('message', letters => { for (const letter of letters) receive(letter) })
  }

  /** @param {any[]} letter what structured clone takes */
  send (letter) {
    if (this.#out.push(letter) === 1) setImmediate(() => this.#post())
  }

  #post () {
    const letters = this.#out
    this.#out = []
    this.#port.postMessage(letters)
  }
}

/**
 * Bytes as they may go by mail: a slice of a larger buffer would take all of that along.
 * @param {any} chunk a string stays one
 */
function mailable (chunk) {
  return typeof chunk === 'string' || chunk.byteLength === chunk.buffer.byteLength ? chunk : new Uint8Array(chunk)
}

module.exports = { Mail, mailable }
