'use strict'

const { META } = require('./event')
const { MidiError } = require('./midi-error')

const SET_TEMPO = 0x51
const SIZE = 3
const MICROSECONDS_PER_MINUTE = 60_000_000

/** Of a file that does not say. */
const DEFAULT_TEMPO = 120

const setsTempo = event => event.status === META && event.type === SET_TEMPO

/**
 * @param {Uint8Array} bytes
 * @param {import('./event').Event} event one that sets the tempo
 * @returns {number} quarter notes a minute
 */
function tempoAt (bytes, event) {
  const microseconds = (bytes[event.start] << 16) | (bytes[event.start + 1] << 8) | bytes[event.start + 2]
  if (event.end - event.start !== SIZE || microseconds === 0) throw new MidiError('A tempo that has no meaning', event.start)
  return MICROSECONDS_PER_MINUTE / microseconds
}

/**
 * @param {number} tempo quarter notes a minute: 3.58 to 60,000,000
 * @returns {number[]} as it stands in a file
 */
function tempoBytes (tempo) {
  const microseconds = Math.round(MICROSECONDS_PER_MINUTE / tempo)
  if (!(microseconds >= 1 && microseconds < 2 ** 24)) throw new RangeError(`A tempo of ${tempo} cannot be written`)
  return [microseconds >> 16, (microseconds >> 8) & 0xff, microseconds & 0xff]
}

module.exports = { setsTempo, tempoAt, tempoBytes, DEFAULT_TEMPO, SET_TEMPO }
