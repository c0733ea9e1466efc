'use strict'

const path = require('node:path')

/** Persistent objects in a pool: on tmpfs as if that were persistent memory, on a disk with msync. */
module.exports = {
  name: 'pmemobj',
  ours: true,
  media: {
    tmpfs: 'cache-line flush and fence',
    disk: 'msync per commit'
  },
  lacks: ['midi', 'collect'],
  env: { PMEM_IS_PMEM_FORCE: '1' },
  async open (folder) {
    const { Pool } = require('pmemobj')
    return new Persistent(Pool.open(path.join(folder, 'pool')))
  }
}

class Persistent {
  #pool
  #objects
  #files

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
    return this.#objects[number][name]
  }

  set (number, name, value) {
    this.#objects[number][name] = value
  }

  transaction (changes) {
    this.#pool.transaction(() => {
      for (let i = 0; i < changes.length; i += 3) this.#objects[changes[i]][changes[i + 1]] = changes[i + 2]
    })
  }

  insertFiles (start, files) {
    this.#append(this.#files, start, files)
  }

  read (number, offset, length) {
    return this.#files[number].subarray(offset, offset + length)
  }

  edit (number, offset, bytes) {
    const file = this.#files[number]
    this.#pool.transaction(() => {
      file.buffer.snapshot(file.byteOffset + offset, bytes.length)
      file.set(bytes, offset)
    })
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
