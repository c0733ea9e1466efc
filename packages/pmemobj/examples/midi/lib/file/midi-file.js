'use strict'

const { chunksOf } = require('./chunk')
const { readHeader } = require('./header')
const { MidiError } = require('./midi-error')
const { eventsOf } = require('./track')

/** A standard MIDI file, read where it lies: nothing of it is copied. */
class MidiFile {
  #bytes
  #header
  #tracks

  /**
   * @param {Uint8Array} bytes
   * @throws {MidiError} where it has no header, or fewer tracks than that says
   */
  constructor (bytes) {
    const [first, ...others] = chunksFrom(bytes)
    this.#bytes = bytes
    this.#header = readHeader(bytes, first)
    this.#tracks = others.filter(({ type }) => type === 'MTrk')
    const { trackCount } = this.#header
    if (this.#tracks.length < trackCount) throw new MidiError(`The file has ${this.#tracks.length} of ${trackCount} tracks`, bytes.length)
  }

  get bytes () { return this.#bytes }

  get header () { return this.#header }

  get trackCount () { return this.#tracks.length }

  /**
   * @param {number} number from 1
   * @returns {Generator<import('./event').Event>}
   * @throws {RangeError} where there is no such track
   */
  eventsOf (number) {
    const chunk = this.#tracks[number - 1]
    if (chunk === undefined) throw new RangeError(`There is no track ${number}: the file has ${this.trackCount}`)
    return eventsOf(this.#bytes, chunk)
  }

  /** @returns {number[]} 1, 2, … */
  trackNumbers () {
    return this.#tracks.map((_, index) => index + 1)
  }
}

function chunksFrom (bytes) {
  if (String.fromCharCode(...bytes.subarray(0, 4)) !== 'MThd') throw new MidiError('This is no MIDI file: it does not begin with MThd', 0)
  return chunksOf(bytes)
}

module.exports = { MidiFile }
