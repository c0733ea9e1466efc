'use strict'

const { PersistentArrayBuffer } = require('pmemobj')
const { eventsOf, microsecondsOf, tempoBytes } = require('./midi-file')

/**
 * A MIDI file in a pool: its bytes in a PersistentArrayBuffer, and beside them, as ordinary properties, what is
 * asked for most. A persistent object has the methods of its class, but no private ones.
 */
class Song {
  /** @param {string} name @param {PersistentArrayBuffer} data */
  constructor (name, data) {
    this.name = name
    this.data = data
    this.imported = new Date()
    /** @type {Array<{ at: Date, edit: string }>} */
    this.edits = []
    this.describe()
  }

  /**
   * @param {import('pmemobj').Pool} pool
   * @param {string} name
   * @param {Uint8Array} bytes a MIDI file, which is copied
   */
  static from (pool, name, bytes) {
    const data = new PersistentArrayBuffer(pool, bytes.length)
    new Uint8Array(data).set(bytes)
    // Bytes that are set outside of a transaction are durable once they are flushed.
    data.flush(0, bytes.length)
    return new Song(name, data)
  }

  /** The file, in the pool itself: nothing is read, copied or parsed for it. */
  get bytes () { return new Uint8Array(this.data) }

  /** Moves all notes of a track. To be called in a transaction, as `setTempo`. */
  transpose (track, semitones) {
    if (this.tracks[track - 1] === undefined) throw new RangeError(`There is no track ${track}`)
    this.change(`transpose track ${track} by ${semitones}`, event => event.track === track && ['note', 'release'].includes(event.kind), (bytes, offset) => {
      const pitch = bytes[offset] + semitones
      // Notes before this one have moved already. The end of the transaction by an error moves them back.
      if (pitch < 0 || pitch > 127) throw new RangeError(`A note of pitch ${bytes[offset]} cannot be moved by ${semitones}`)
      bytes[offset] = pitch
    })
  }

  /** Makes the song begin at another tempo. Later changes of the tempo change in proportion. */
  setTempo (tempo) {
    const factor = this.tempo / tempo
    this.change(`tempo ${tempo}`, event => event.kind === 'tempo', (bytes, offset) => {
      bytes.set(tempoBytes(microsecondsOf(bytes, offset) * factor), offset)
    })
  }

  /** Changes a few bytes of the file where they are; its other bytes are not written. */
  change (edit, isMeant, set) {
    const bytes = this.bytes
    const events = [...eventsOf(bytes)].filter(isMeant)
    if (events.length > 0) {
      const [first, last] = [events[0], events.at(-1)]
      // A transaction restores and flushes what was saved. One range costs less than thousands.
      this.data.snapshot(first.offset, last.offset + last.length - first.offset)
    }
    for (const { offset } of events) set(bytes, offset)
    this.describe()
    this.edits.push({ at: new Date(), edit })
  }

  /** Finds what is known of the file without its bytes. */
  describe () {
    const bytes = this.bytes
    const tempos = []
    const tracks = []
    for (const { kind, track, offset, length } of eventsOf(bytes)) {
      if (kind === 'track') tracks.push({ name: '', notes: 0 })
      else if (kind === 'name') tracks[track - 1].name = Buffer.from(bytes.subarray(offset, offset + length)).toString()
      else if (kind === 'tempo') tempos.push(60_000_000 / microsecondsOf(bytes, offset))
      else if (kind === 'note') tracks[track - 1].notes++
    }
    this.tempo = tempos[0] ?? 120
    // The pool copies the plain array: from here on it is persistent.
    this.tracks = tracks
  }
}

module.exports = { Song }
