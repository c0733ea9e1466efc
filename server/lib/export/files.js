'use strict'

const { randomBytes } = require('node:crypto')
const fs = require('node:fs')
const path = require('node:path')
const { finished } = require('node:stream/promises')
const { exportFileName } = require('@potoroo/import')
const { syncFolderSync } = require('@potoroo/storage')
const { refuseAmongData } = require('../storage/data-folder')
const { StreamWriter } = require('./stream-writer')

/** The files of an export. They have other names until all of them are whole. */
class ExportFiles {
  #place
  #single
  #made
  #signal
  /** @type {Array<{ draft: string, file: string, stream: fs.WriteStream, writer: StreamWriter }>} */
  #files = []

  /**
   * @param {string} place a folder, which is made where it is not there, or a file
   * @param {boolean} single whether it is a file
   * @param {AbortSignal} signal
   */
  constructor (place, single, signal) {
    refuseAmongData(single ? place : path.join(place, 'databases'))
    this.#signal = signal
    this.#place = place
    this.#single = single
    // The first that was made, to be removed with what is below it.
    this.#made = single ? undefined : fs.mkdirSync(place, { recursive: true, mode: 0o700 })
  }

  /** @param {string} name of a database */
  create (name) {
    const file = this.#single ? this.#place : path.join(this.#place, exportFileName(name))
    const draft = `${file}.${randomBytes(4).toString('hex')}.draft`
    const stream = fs.createWriteStream(draft, { fd: fs.openSync(draft, 'wx', 0o600), flush: true })
    const writer = new StreamWriter(stream, this.#signal)
    this.#files.push({ draft, file, stream, writer })
    return writer
  }

  /** Gives them their names, once they are durable: a stream is flushed after it has finished. */
  async keep () {
    await Promise.all(this.#files.map(({ stream }) => finished(stream)))
    for (const { draft, file } of this.#files) fs.renameSync(draft, file)
    syncFolderSync(this.#single ? path.dirname(this.#place) : this.#place)
  }

  remove () {
    for (const { draft, writer } of this.#files) {
      writer.destroy()
      fs.rmSync(draft, { force: true })
    }
    if (this.#made !== undefined) fs.rmSync(this.#made, { recursive: true, force: true })
  }
}

module.exports = { ExportFiles }
