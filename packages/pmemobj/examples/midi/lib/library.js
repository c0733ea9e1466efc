'use strict'

const { Pool } = require('pmemobj')
const { Song } = require('./song')

/** Songs in a pool, by name. */
class Library {
  #pool

  /** @param {string} path of a pool, which is made if there is none */
  constructor (path) {
    this.#pool = Pool.open(path)
    // Songs that are read again have the methods of their class.
    this.#pool.register(Song)
    // The root is the one object that a program finds by itself. All that it refers to is persistent.
    this.#pool.root ??= { songs: new Map() }
  }

  /** @returns {Map<string, Song>} */
  get #songs () { return this.#pool.root.songs }

  /** @returns {Song[]} by name */
  list () {
    return [...this.#songs.values()].sort((a, b) => a.name < b.name ? -1 : 1)
  }

  /** @param {string} name */
  get (name) {
    const song = this.#songs.get(name)
    if (song === undefined) throw new RangeError(`There is no song "${name}"`)
    return song
  }

  /**
   * @param {string} name that no song has
   * @param {Uint8Array} bytes a MIDI file
   */
  add (name, bytes) {
    if (this.#songs.has(name)) throw new RangeError(`There is a song "${name}" already`)
    // The song is persistent as soon as the persistent map refers to it.
    this.#songs.set(name, Song.from(this.#pool, name, bytes))
    return this.get(name)
  }

  /** Removes a song: the pool collects what it took. */
  remove (name) {
    this.get(name)
    this.#songs.delete(name)
  }

  /** @param {string} name @param {number} track from 1 @param {number} semitones */
  transpose (name, track, semitones) {
    return this.#edit(name, song => song.transpose(track, semitones))
  }

  /** @param {string} name @param {number} tempo quarter notes a minute, at the beginning */
  setTempo (name, tempo) {
    return this.#edit(name, song => song.setTempo(tempo))
  }

  /** Bytes, metadata and list of edits change together, or, if an error is thrown or the power fails, not at all. */
  #edit (name, edit) {
    const song = this.get(name)
    this.#pool.transaction(() => edit(song))
    return song
  }

  close () { this.#pool.close() }
}

module.exports = { Library }
