'use strict'

/** Objects of JavaScript alone: the most that any of the others could reach. */
class MemoryObjects {
  #files = []

  constructor () {
    this.root = { objects: [] }
  }

  insert (start, objects) {
    for (const [index, object] of objects.entries()) this.root.objects[start + index] = { ...object, address: { ...object.address } }
  }

  get (number, name) {
    return this.root.objects[number][name]
  }

  set (number, name, value) {
    this.root.objects[number][name] = value
  }

  transaction (changes) {
    for (let i = 0; i < changes.length; i += 3) this.set(changes[i], changes[i + 1], changes[i + 2])
  }

  insertFiles (start, files) {
    for (const bytes of files) this.#files.push(Uint8Array.from(bytes))
  }

  read (number, offset, length) {
    return this.#files[number].subarray(offset, offset + length)
  }

  edit (number, offset, bytes) {
    this.#files[number].set(bytes, offset)
  }

  close () {}
}

module.exports = { MemoryObjects }
