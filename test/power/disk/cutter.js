'use strict'

const { execFileSync } = require('node:child_process')
const fs = require('node:fs')
const { SECTOR, readEntries } = require('./write-log')

/** Bytes of a discarded range that are gone together, or not. */
const STRETCH = 2 ** 20
/** How much of what was not flushed reaches the disk. */
const MODES = ['nothing', 'all', 'writes', 'sectors', 'first', 'all but some']

/**
 * Makes images of a disk as a power cut may leave it. All before the last flush is there; of each later write any
 * sectors may be. Cuts go forwards through the log.
 */
class Cutter {
  #log
  #certain
  #path
  #applied = 0

  /** @param {string} log @param {string} folder on a file system that shares extents @param {number} bytes of the disk */
  constructor (log, folder, bytes) {
    this.entries = readEntries(log)
    this.#log = fs.openSync(log, 'r')
    this.#path = `${folder}/certain`
    this.#certain = fs.openSync(this.#path, 'w+')
    fs.ftruncateSync(this.#certain, bytes)
  }

  /**
   * @param {number} position entries that came before the cut
   * @param {string} mode of MODES
   * @param {() => number} random
   * @param {string} path of the image
   * @returns {{ unflushed: number }} bytes in the balance
   */
  cut (position, mode, random, path) {
    const flushed = Math.max(this.entries.findLastIndex((entry, i) => i < position && entry.flush), 0)
    for (; this.#applied < flushed; this.#applied++) this.#write(this.#certain, this.entries[this.#applied], () => true)
    fs.copyFileSync(this.#path, path, fs.constants.COPYFILE_FICLONE_FORCE)
    const image = fs.openSync(path, 'r+')
    const pending = this.entries.slice(flushed, position)
    const keep = keeper(mode, random, pending.length)
    pending.forEach((entry, i) => this.#write(image, entry, keep(i, entry)))
    fs.closeSync(image)
    return { unflushed: pending.reduce((sum, entry) => sum + entry.bytes, 0) }
  }

  /** Writes the sectors of an entry that are kept, in runs; of a discarded range, the stretches. */
  #write (image, entry, keeps) {
    const step = entry.discard ? STRETCH : SECTOR
    const write = entry.discard ? punch : this.#copy.bind(this)
    let from = -1
    for (let at = 0; at < entry.bytes; at += step) {
      const kept = keeps(at / step)
      if (kept && from === -1) from = at
      if (kept || from === -1) continue
      write(image, entry, from, at)
      from = -1
    }
    if (from !== -1) write(image, entry, from, entry.bytes)
  }

  #copy (image, entry, from, to) {
    const data = Buffer.allocUnsafe(to - from)
    fs.readSync(this.#log, data, 0, data.length, entry.at + from)
    fs.writeSync(image, data, 0, data.length, entry.offset + from)
  }

  close () {
    fs.closeSync(this.#log)
    fs.closeSync(this.#certain)
  }
}

/** Makes a hole, which reads as zeros: written ones would take the memory of the whole range. */
function punch (image, { offset }, from, to) {
  execFileSync('fallocate', ['--punch-hole', '--offset', String(offset + from), '--length', String(to - from), `/proc/${process.pid}/fd/${image}`])
}

/** Returns a function from a write to one that says which of its sectors are kept. */
function keeper (mode, random, count) {
  const all = () => true
  const none = () => false
  const some = () => random() < 0.5
  const torn = Math.floor(random() * count)
  return (i, entry) => {
    if (entry.fua || mode === 'all') return all
    if (mode === 'nothing') return none
    if (mode === 'writes') return random() < 0.5 ? all : none
    if (mode === 'first') return i < torn ? all : i === torn ? some : none
    if (mode === 'all but some') return random() < 0.9 ? all : some
    return some
  }
}

module.exports = { Cutter, MODES }
