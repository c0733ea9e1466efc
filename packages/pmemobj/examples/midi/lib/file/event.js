'use strict'

const { MidiError } = require('./midi-error')

const META = 0xff
const SYSEX = 0xf0
const SYSEX_GOES_ON = 0xf7

// Data bytes of messages whose status begins with 8, 9, … E.
const DATA_BYTES = [2, 2, 2, 2, 1, 1, 2]

/**
 * Something that happens at a time. Its data stay in the file; `start` and `end` are offsets there.
 *
 * @typedef {object} Event
 * @property {number} tick since the beginning of the track
 * @property {number} status 0x80 to 0xef: of a channel; 0xf0, 0xf7: SysEx; 0xff: meta
 * @property {number} type of a meta event, 0 to 127; -1 for others
 * @property {number} start
 * @property {number} end
 */

/**
 * @param {import('./byte-cursor').ByteCursor} cursor after the event's time
 * @param {number} tick
 * @param {number} running the status of the channel's last event, 0 where there is none
 * @returns {Event}
 */
function readEvent (cursor, tick, running) {
  const at = cursor.offset
  const status = cursor.peek() < 0x80 ? running : cursor.number(1)
  if (status === 0) throw new MidiError('Data without a status', at)
  if (status === META) return readMeta(cursor, tick)
  if (status === SYSEX || status === SYSEX_GOES_ON) return { tick, status, type: -1, ...readSized(cursor) }
  if (status > SYSEX) throw new MidiError(`The status 0x${status.toString(16)} does not occur in files`, at)
  return { tick, status, type: -1, ...readData(cursor, DATA_BYTES[(status >> 4) - 8]) }
}

function readMeta (cursor, tick) {
  const at = cursor.offset
  const type = cursor.number(1)
  if (type > 0x7f) throw new MidiError(`A meta event has a type up to 127, not ${type}`, at)
  return { tick, status: META, type, ...readSized(cursor) }
}

function readSized (cursor) {
  const size = cursor.quantity()
  const start = cursor.skip(size)
  return { start, end: start + size }
}

function readData (cursor, size) {
  const start = cursor.offset
  for (let i = 0; i < size; i++) {
    if (cursor.number(1) > 0x7f) throw new MidiError('A status stands where data is wanted', cursor.offset - 1)
  }
  return { start, end: start + size }
}

/** Whether it is of a channel: notes, controllers, programs, bends. */
const ofChannel = event => event.status < SYSEX

module.exports = { readEvent, ofChannel, META }
