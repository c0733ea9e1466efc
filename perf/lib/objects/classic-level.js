'use strict'

const path = require('node:path')

const DURABLY = { sync: true }

/** LevelDB with objects as JSON. */
class LevelObjects {
  #level
  #objects
  #files

  static async open (folder) {
    const { ClassicLevel } = require('classic-level')
    const level = new ClassicLevel(path.join(folder, 'leveldb'))
    const objects = level.sublevel('objects', { valueEncoding: 'json' })
    const files = level.sublevel('files', { valueEncoding: 'view' })
    await Promise.all([level, objects, files].map((each) => each.open()))
    return new LevelObjects(level, objects, files)
  }

  constructor (level, objects, files) {
    this.#level = level
    this.#objects = objects
    this.#files = files
  }

  insert (start, objects) {
    return this.#objects.batch(objects.map((value, index) => ({ type: 'put', key: keyOf(start + index), value })), DURABLY)
  }

  get (number, name) {
    return this.#objects.getSync(keyOf(number))[name]
  }

  set (number, name, value) {
    const object = this.#objects.getSync(keyOf(number))
    object[name] = value
    return this.#objects.put(keyOf(number), object, DURABLY)
  }

  transaction (changes) {
    const operations = []
    for (let i = 0; i < changes.length; i += 3) {
      const key = keyOf(changes[i])
      const value = this.#objects.getSync(key)
      value[changes[i + 1]] = changes[i + 2]
      operations.push({ type: 'put', key, value })
    }
    return this.#objects.batch(operations, DURABLY)
  }

  insertFiles (start, files) {
    return this.#files.batch(files.map((value, index) => ({ type: 'put', key: keyOf(start + index), value })), DURABLY)
  }

  read (number, offset, length) {
    return this.#files.getSync(keyOf(number)).subarray(offset, offset + length)
  }

  edit (number, offset, bytes) {
    const file = this.#files.getSync(keyOf(number))
    file.set(bytes, offset)
    return this.#files.put(keyOf(number), file, DURABLY)
  }

  close () {
    return this.#level.close()
  }
}

function keyOf (number) {
  return String(number).padStart(8, '0')
}

module.exports = { LevelObjects }
