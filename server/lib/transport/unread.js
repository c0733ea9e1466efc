'use strict'

/**
 * Cuts the connection whenever its client has not read what waits for it for as long as the connection may be silent.
 *
 * @param {import('node:net').Socket} socket
 */
function cutUnread (socket) { socket.on('timeout', onSilence) }

/** Nothing has moved for a while. The timer fired, so it would not again. @this {import('node:net').Socket & { timeout: number }} */
function onSilence () {
  if (this.writableLength > 0) this.destroy()
  else this.setTimeout(this.timeout)
}

module.exports = { cutUnread }
