'use strict'

const path = require('node:path')

/**
 * Persistent objects in a pool: on tmpfs as if that were persistent memory, on a disk with synced writes. A
 * program finds an object by its place in an array once, and holds it from then on, as it would hold a
 * plain one, or another database's key.
 */
class PmemObjects {
  #pool
  #objects
  #files
  #held = []
  #heldFiles = []

  static async open (folder) {
    const { Pool } = require('pmemobj')
    return new PmemObjects(Pool.open(path.join(folder, 'pool')))
  }

  constructor (pool) {
    this.#pool = pool
    pool.root ??= { objects: [], files: [] }
    this.root = pool.root
    this.#objects = this.root.objects
    this.#files = this.root.files
  }

  insert (start, objects) {
    this.#append(this.#objects, start, objects)
  }

  get (number, name) {
    return this.#object(number)[name]
  }

  set (number, name, value) {
    this.#object(number)[name] = value
  }

  #object (number) {
    return (this.#held[number] ??= this.#objects[number])
  }

  transaction (changes) {
    this.#pool.transaction(() => {
      for (let i = 0; i < changes.length; i += 3) this.#object(changes[i])[changes[i + 1]] = changes[i + 2]
    })
  }

  insertFiles (start, files) {
    this.#append(this.#files, start, files)
  }

  read (number, offset, length) {
    return this.#file(number).subarray(offset, offset + length)
  }

  edit (number, offset, bytes) {
    const file = this.#file(number)
    this.#pool.transaction(() => {
      file.buffer.snapshot(file.byteOffset + offset, bytes.length)
      file.set(bytes, offset)
    })
  }

  overwrite (number, offset, bytes) {
    const file = this.#file(number)
    file.set(bytes, offset)
    file.buffer.flush(file.byteOffset + offset, bytes.length)
  }

  #file (number) {
    return (this.#heldFiles[number] ??= this.#files[number])
  }

  #append (array, start, values) {
    if (values.length === 1) array[start] = values[0]
    else this.#pool.transaction(() => array.push(...values))
  }

  collect () {
    return this.#pool.collect()
  }

  used () {
    return this.#pool.stats().used
  }

  close () {
    this.#pool.close()
  }
}

module.exports = { PmemObjects }
