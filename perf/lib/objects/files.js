'use strict'

const fs = require('node:fs')
const path = require('node:path')

/**
 * A file for each object, as JSON that is overwritten, and for each MIDI file, of which a part is
 * overwritten. A power cut between two writes leaves half of a transaction, and in a write half of it:
 * what would mend that costs more.
 */
class FileObjects {
  #objects
  #files

  constructor (folder) {
    this.#objects = path.join(folder, 'objects')
    this.#files = path.join(folder, 'files')
    for (const place of [this.#objects, this.#files]) fs.mkdirSync(place, { recursive: true })
  }

  insert (start, objects) {
    objects.forEach((object, index) => write(`${this.#objects}/${start + index}`, JSON.stringify(object)))
    sync(this.#objects)
  }

  get (number, name) {
    return this.#load(number)[name]
  }

  set (number, name, value) {
    const object = this.#load(number)
    object[name] = value
    write(`${this.#objects}/${number}`, JSON.stringify(object))
  }

  transaction (changes) {
    for (let i = 0; i < changes.length; i += 3) this.set(changes[i], changes[i + 1], changes[i + 2])
  }

  insertFiles (start, files) {
    files.forEach((bytes, index) => write(`${this.#files}/${start + index}`, bytes))
    sync(this.#files)
  }

  read (number, offset, length) {
    const file = fs.openSync(`${this.#files}/${number}`, 'r')
    const bytes = Buffer.allocUnsafe(length)
    fs.readSync(file, bytes, 0, length, offset)
    fs.closeSync(file)
    return bytes
  }

  edit (number, offset, bytes) {
    this.overwrite(number, offset, bytes)
  }

  overwrite (number, offset, bytes) {
    const file = fs.openSync(`${this.#files}/${number}`, 'r+')
    fs.writeSync(file, bytes, 0, bytes.length, offset)
    fs.fsyncSync(file)
    fs.closeSync(file)
  }

  #load (number) {
    return JSON.parse(fs.readFileSync(`${this.#objects}/${number}`, 'utf8'))
  }

  close () {}
}

function write (name, contents) {
  const file = fs.openSync(name, 'w')
  fs.writeSync(file, contents)
  fs.fsyncSync(file)
  fs.closeSync(file)
}

/** So that the names of new files are durable, too. */
function sync (folder) {
  const handle = fs.openSync(folder, 'r')
  fs.fsyncSync(handle)
  fs.closeSync(handle)
}

module.exports = { FileObjects }
