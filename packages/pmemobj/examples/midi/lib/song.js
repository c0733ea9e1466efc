'use strict'

const { PersistentArrayBuffer } = require('pmemobj')
const { MidiFile } = require('./file/midi-file')
const { metadataOf } = require('./file/metadata')

/**
 * A MIDI file in a pool: its bytes in a PersistentArrayBuffer, and beside them, as ordinary
 * properties, what is asked for most. A class that the pool knows (`pool.register`), so that songs
 * that are read again have its methods.
 */
class Song {
  /**
   * @param {string} name
   * @param {PersistentArrayBuffer} data
   * @param {import('./file/metadata').Metadata} metadata
   */
  constructor (name, data, metadata) {
    this.name = name
    this.data = data
    this.imported = new Date()
    /** @type {Array<{ at: Date, edit: string, bytes: number }>} */
    this.edits = []
    this.format = metadata.format
    this.tempo = metadata.tempo
    this.seconds = metadata.seconds
    this.tracks = metadata.tracks
  }

  /**
   * Copies a file into a pool. The song itself is in the pool when something there refers to it.
   *
   * @param {import('pmemobj').Pool} pool
   * @param {string} name
   * @param {Uint8Array} bytes
   * @throws {import('./file/midi-error').MidiError} where it is no MIDI file
   */
  static from (pool, name, bytes) {
    const metadata = metadataOf(new MidiFile(bytes))
    const data = new PersistentArrayBuffer(pool, bytes.length)
    new Uint8Array(data).set(bytes)
    data.flush(0, bytes.length)
    return new Song(name, data, metadata)
  }

  get size () { return this.data.byteLength }

  /** The file, where it lies: whoever writes there writes into the pool. */
  bytes () {
    return new Uint8Array(this.data)
  }

  /**
   * Changes the file where it lies, and the metadata with it. To be called in a transaction.
   *
   * @template Options
   * @param {string} what for the list of edits
   * @param {(file: MidiFile, options: Options) => import('./patch').Patch} edit
   * @param {Options} options
   * @returns {{ bytes: number, saved: number }} how many were set, and how many saved before
   */
  edit (what, edit, options) {
    const patch = edit(new MidiFile(this.bytes()), options)
    const saved = patch.apply(this.data)
    Object.assign(this, metadataOf(new MidiFile(this.bytes())))
    this.edits.push({ at: new Date(), edit: what, bytes: patch.size })
    return { bytes: patch.size, saved }
  }
}

module.exports = { Song }
