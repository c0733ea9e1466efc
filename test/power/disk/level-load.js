'use strict'

const { createHash } = require('node:crypto')
const fs = require('node:fs')
const path = require('node:path')

const KEYS = 100

/**
 * Several who write to a level at a time, each one thing after another to keys of its own, and tell it:
 *
 *   { writer, step, ops }   is asked for; `ops` are [key, hash], [key] for a removal, or [from, to, 'clear']
 *   { writer, step }        was acknowledged
 *
 * A batch also puts its number under the writer's key `mark`.
 */
class Writer {
  #level
  #name
  #tell
  #random
  #hostile
  #step = 0

  /** @param {() => any} level @param {number} number @param {(event: object) => void} tell @param {() => number} random @param {(size: number) => Buffer} hostile */
  constructor (level, number, tell, random, hostile) {
    this.#level = level
    this.#name = `w${number}`
    this.#tell = tell
    this.#random = random
    this.#hostile = hostile
  }

  async step () {
    const step = ++this.#step
    if (step % 40 === 39) return this.#clear(step)
    const operations = Array.from({ length: this.#count() }, () => this.#operation())
    operations.push({ type: 'put', key: `${this.#name}!mark`, value: Buffer.from(String(step)) })
    const ops = operations.map(({ key, value }) => value === undefined ? [key] : [key, hashOf(value)])
    await this.#do(step, ops, () => this.#level().batch(operations, { valueEncoding: 'buffer' }))
  }

  async #clear (step) {
    const from = this.#key()
    const to = `${from}9`
    await this.#do(step, [[from, to, 'clear']], () => this.#level().clear({ gte: from, lt: to }))
  }

  async #do (step, ops, write) {
    this.#tell({ writer: this.#name, step, ops })
    await write()
    this.#tell({ writer: this.#name, step })
  }

  #below (limit) { return Math.floor(this.#random() * limit) }
  /** More and more keys, so that the level grows. */
  #key () { return `${this.#name}.${this.#below(KEYS + this.#step / 2)}` }

  #count () {
    const chance = this.#random()
    return chance < 0.6 ? 1 : chance < 0.95 ? 1 + this.#below(20) : 100
  }

  #operation () {
    const key = this.#key()
    if (this.#random() < 0.15) return { type: 'del', key }
    return { type: 'put', key, value: this.#value() }
  }

  /** Mostly small ones; some are larger than a log record may be, few larger than what the pool keeps in slabs. */
  #value () {
    const chance = this.#random()
    const size = chance < 0.9 ? this.#below(600) : chance < 0.985 ? this.#below(20000) : chance < 0.998 ? this.#below(400000) : 3_500_000
    return this.#random() < 0.3 ? this.#hostile(size) : Buffer.alloc(size, `${this.#name} ${this.#step} `)
  }
}

/** Returns a function that gives bytes of the database's own files, at any alignment: what they hold looks like what the database writes. */
function bytesOfFiles (folder, random) {
  return size => {
    const bytes = Buffer.alloc(size)
    const names = fs.readdirSync(folder)
    const file = openIfThere(path.join(folder, names[Math.floor(random() * names.length)] ?? ''))
    if (file === undefined) return bytes
    fs.readSync(file, bytes, 0, size, Math.floor(random() * Math.min(fs.fstatSync(file).size, 2 ** 22)))
    fs.closeSync(file)
    return bytes
  }
}

/** LevelDB removes its files while they are looked at. */
function openIfThere (name) {
  try {
    return fs.statSync(name).isFile() ? fs.openSync(name, 'r') : undefined
  } catch (error) {
    if (error.code !== 'ENOENT') throw error
  }
}

function hashOf (bytes) {
  return createHash('sha1').update(bytes).digest('base64')
}

module.exports = { Writer, bytesOfFiles, hashOf }
