'use strict'

const { META } = require('./event')

const TRACK_NAME = 0x03

const namesTrack = event => event.status === META && event.type === TRACK_NAME

/**
 * @param {Uint8Array} bytes
 * @param {import('./event').Event} event
 * @returns {string} UTF-8 where it is that, otherwise Latin-1; without spaces at its end
 */
function textOf (bytes, event) {
  const text = Buffer.from(bytes.subarray(event.start, event.end))
  const asUtf8 = text.toString('utf8')
  return (asUtf8.includes('\ufffd') ? text.toString('latin1') : asUtf8).trimEnd()
}

module.exports = { namesTrack, textOf, TRACK_NAME }
