'use strict'

const { EventEmitter } = require('node:events')
const fs = require('node:fs')
const path = require('node:path')
const { Ini } = require('./ini')
const { defaults } = require('./defaults')

/**
 * The configuration: defaults, over them the ini file of the data folder, over that what the
 * application passed in (which is never written down). Emits `change` with section and key.
 */
class Config extends EventEmitter {
  #file
  #ini
  #overrides
  /** Sections as they are asked for, until something changes. @type {Map<string, Record<string, string>>} */
  #cache = new Map()

  /**
   * @param {string | null} file path of the ini file; null keeps it in memory
   * @param {Record<string, Record<string, string | number | boolean>>} [overrides]
   */
  constructor (file, overrides = {}) {
    super()
    this.#file = file
    this.#overrides = overrides
    this.#ini = new Ini(file === null ? '' : readIfThere(file))
  }

  get file () { return this.#file }

  /**
   * @param {string} section
   * @param {string} key
   * @returns {string} '' where there is none
   */
  get (section, key) {
    const values = this.section(section)
    return Object.hasOwn(values, key) ? values[key] : ''
  }

  boolean (section, key) { return this.get(section, key) === 'true' }

  /** A whole number; the default's where the file holds something else. */
  integer (section, key) {
    const number = this.number(section, key)
    return Number.isSafeInteger(number) ? number : Number(defaults[section]?.[key])
  }

  /** Any number; the default's where the file holds something else. */
  number (section, key) {
    const text = this.get(section, key)
    return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : Number(defaults[section]?.[key])
  }

  /** @returns {Record<string, string>} */
  section (name) {
    const cached = this.#cache.get(name)
    if (cached !== undefined) return cached
    const own = this.#ini.sections().get(name)
    const over = Object.entries(this.#overrides[name] ?? {}).map(([key, value]) => [key, String(value)])
    const section = Object.freeze({ ...defaults[name], ...(own && Object.fromEntries(own)), ...Object.fromEntries(over) })
    this.#cache.set(name, section)
    return section
  }

  /** @returns {Record<string, Record<string, string>>} */
  all () {
    const names = new Set([...Object.keys(defaults), ...this.#ini.sections().keys(), ...Object.keys(this.#overrides)])
    return Object.fromEntries([...names].sort().map(name => [name, this.section(name)]))
  }

  /** Sets it now and, where there is a file, for ever. */
  set (section, key, value) {
    delete this.#overrides[section]?.[key]
    this.#ini.set(section, key, value)
    this.#cache.clear()
    this.#save()
    this.emit('change', section, key)
  }

  delete (section, key) {
    delete this.#overrides[section]?.[key]
    this.#ini.delete(section, key)
    this.#cache.clear()
    this.#save()
    this.emit('change', section, key)
  }

  /** Reads the file again: somebody may have edited it. */
  reload () {
    if (this.#file === null) return
    this.#ini = new Ini(readIfThere(this.#file))
    this.#cache.clear()
    for (const section of Object.keys(this.all())) this.emit('change', section, null)
  }

  /** A new file takes the old one's place at once, so that a crash leaves one or the other. */
  #save () {
    if (this.#file === null) return
    const temporary = `${this.#file}.new`
    const handle = fs.openSync(temporary, 'w', 0o600)
    try {
      fs.writeSync(handle, this.#ini.toString())
      fs.fsyncSync(handle)
    } finally {
      fs.closeSync(handle)
    }
    fs.renameSync(temporary, this.#file)
    const folder = fs.openSync(path.dirname(this.#file), 'r')
    fs.fsyncSync(folder)
    fs.closeSync(folder)
  }
}

function readIfThere (file) {
  try {
    return fs.readFileSync(file, 'utf8')
  } catch (error) {
    if (error.code === 'ENOENT') return ''
    throw error
  }
}

module.exports = { Config }
