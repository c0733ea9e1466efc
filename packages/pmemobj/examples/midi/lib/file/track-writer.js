'use strict'

const { META } = require('./event')
const { NOTE_OFF, NOTE_ON } = require('./note')
const { quantityBytes } = require('./quantity')
const { SET_TEMPO, tempoBytes } = require('./tempo')
const { TRACK_NAME } = require('./text')

/** Writes the events of one track, each some ticks after the one before, with running status. */
class TrackWriter {
  #bytes = []
  #running = 0

  /** How many bytes so far. */
  get size () { return this.#bytes.length }

  /** @param {string} name */
  name (name) {
    return this.meta(0, TRACK_NAME, Buffer.from(name))
  }

  tempo (ticks, tempo) {
    return this.meta(ticks, SET_TEMPO, tempoBytes(tempo))
  }

  noteOn (ticks, channel, pitch, velocity) {
    return this.channel(ticks, NOTE_ON | channel, pitch, velocity)
  }

  noteOff (ticks, channel, pitch) {
    return this.channel(ticks, NOTE_OFF | channel, pitch, 64)
  }

  /**
   * @param {number} ticks since the last event
   * @param {number} status 0x80 to 0xef
   * @param {number[]} data
   */
  channel (ticks, status, ...data) {
    this.#bytes.push(...quantityBytes(ticks))
    if (status !== this.#running) this.#bytes.push(status)
    this.#running = status
    this.#bytes.push(...data)
    return this
  }

  /**
   * @param {number} ticks
   * @param {number} type
   * @param {Iterable<number>} data
   */
  meta (ticks, type, data) {
    return this.#sized(ticks, [META, type], [...data])
  }

  /**
   * @param {number} ticks
   * @param {Iterable<number>} data without 0xf0 and with 0xf7 at its end
   */
  sysex (ticks, data) {
    return this.#sized(ticks, [0xf0], [...data])
  }

  #sized (ticks, head, data) {
    this.#bytes.push(...quantityBytes(ticks), ...head, ...quantityBytes(data.length), ...data)
    this.#running = 0
    return this
  }

  /**
   * @param {number} [ticks]
   * @returns {Uint8Array} the track with its end
   */
  end (ticks = 0) {
    this.meta(ticks, 0x2f, [])
    return Uint8Array.from(this.#bytes)
  }
}

module.exports = { TrackWriter }
