'use strict'

const { randomBytes } = require('node:crypto')
const fs = require('node:fs')
const path = require('node:path')
const { exportFileName } = require('@potoroo/import')
const { syncFolder } = require('../commands/data-folder')
const { StreamWriter } = require('./stream-writer')

/** The files of an export. They have other names until all of them are whole. */
class ExportFiles {
  #place
  #single
  #made
  #signal
  /** @type {Array<{ draft: string, file: string, writer: StreamWriter }>} */
  #files = []

  /**
   * @param {string} place a folder, which is made where it is not there, or a file
   * @param {boolean} single whether it is a file
   * @param {AbortSignal} signal
   */
  constructor (place, single, signal) {
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
    this.#files.push({ draft, file, writer })
    return writer
  }

  /** Gives them their names. */
  keep () {
    for (const { draft, file } of this.#files) fs.renameSync(draft, file)
    syncFolder(this.#single ? path.dirname(this.#place) : this.#place)
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
