'use strict'

const { Pool } = require('pmemobj')
const { changeTempo } = require('./edits/tempo')
const { renameTrack } = require('./edits/name')
const { setVelocity } = require('./edits/velocity')
const { transpose } = require('./edits/transpose')
const { Song } = require('./song')

/** Songs in a pool, by name. */
class Library {
  #pool

  /** @param {string} path of a pool, which is made where there is none */
  constructor (path) {
    this.#pool = Pool.open(path)
    this.#pool.register(Song)
    if (this.#pool.root === undefined) this.#pool.root = { songs: new Map() }
  }

  /** @returns {Map<string, Song>} */
  get #songs () {
    return this.#pool.root.songs
  }

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
   * @param {Uint8Array} bytes
   */
  add (name, bytes) {
    if (this.#songs.has(name)) throw new RangeError(`There is a song "${name}" already`)
    this.#songs.set(name, Song.from(this.#pool, name, bytes))
    return this.get(name)
  }

  /** @param {string} name */
  remove (name) {
    this.get(name)
    this.#songs.delete(name)
  }

  /**
   * @param {string} name
   * @param {{ track: number, semitones: number }} options
   */
  transpose (name, { track, semitones }) {
    return this.#edit(name, `transpose track ${track} by ${semitones}`, transpose, { track, semitones })
  }

  changeTempo (name, tempo) {
    return this.#edit(name, `tempo ${tempo}`, changeTempo, { tempo, was: this.get(name).tempo })
  }

  renameTrack (name, { track, to }) {
    return this.#edit(name, `rename track ${track} to ${to}`, renameTrack, { track, name: to })
  }

  setVelocity (name, { track, velocity }) {
    return this.#edit(name, `velocity of track ${track} ${velocity}`, setVelocity, { track, velocity })
  }

  #edit (name, what, edit, options) {
    return this.#pool.transaction(() => this.get(name).edit(what, edit, options))
  }

  close () {
    this.#pool.close()
  }
}

module.exports = { Library }
