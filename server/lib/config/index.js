'use strict'

const { EventEmitter } = require('node:events')
const fs = require('node:fs')
const path = require('node:path')
const { isUnlimited } = require('./checks')
const { Ini } = require('./ini')
const { defaults } = require('./defaults')

/**
 * The configuration: defaults, over them the ini file of the data folder, over that what the
 * application passed in (which is never written down), over that what was set until the file is
 * read again. Emits `change` with section and key.
 */
class Config extends EventEmitter {
  #file
  #ini
  #overrides
  /** Section → key → value. @type {Map<string, Map<string, string>>} */
  #passing = new Map()
  /** Sections as they are asked for, until something changes. @type {Map<string, Record<string, string>>} */
  #cache = new Map()

  /**
   * @param {string | null} file path of the ini file; null keeps it in memory
   * @param {Record<string, Record<string, string | number | boolean>>} [overrides]
   */
  constructor (file, overrides = {}) {
    super()
    // Each part of the server that reads it at start listens.
    this.setMaxListeners(0)
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
    if (Number.isSafeInteger(number)) return number
    return isUnlimited(key, this.get(section, key)) ? Number.MAX_SAFE_INTEGER : Number(defaults[section]?.[key])
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
    const values = new Map(Object.entries(ownOf(defaults, name) ?? {}))
    for (const [key, value] of this.#ini.sections().get(name) ?? []) values.set(key, value)
    for (const [key, value] of Object.entries(ownOf(this.#overrides, name) ?? {})) values.set(key, String(value))
    for (const [key, value] of this.#passing.get(name) ?? []) values.set(key, value)
    const section = Object.freeze(Object.fromEntries(values))
    this.#cache.set(name, section)
    return section
  }

  /** @returns {Record<string, Record<string, string>>} */
  all () {
    const names = new Set([...Object.keys(defaults), ...this.#ini.sections().keys(), ...Object.keys(this.#overrides), ...this.#passing.keys()])
    const sections = [...names].sort().map(name => [name, this.section(name)])
    return Object.fromEntries(sections.filter(([, values]) => Object.keys(values).length > 0))
  }

  /**
   * Sets it now and, where there is a file, for ever.
   *
   * @param {string} section
   * @param {string} key
   * @param {string} value one line
   * @param {{ persist?: boolean }} [options] persist: false holds it until the file is read again
   */
  set (section, key, value, { persist = true } = {}) {
    this.#forget(section, key, persist)
    if (persist) this.#ini.set(section, key, value)
    else this.#passing.set(section, new Map(this.#passing.get(section)).set(key, value))
    this.#changed(section, key, persist)
  }

  /** What it is by default holds from now on, or, without persist, what the file says. */
  delete (section, key, { persist = true } = {}) {
    this.#forget(section, key, persist)
    if (persist) this.#ini.delete(section, key)
    this.#changed(section, key, persist)
  }

  #forget (section, key, persist) {
    if (persist) delete ownOf(this.#overrides, section)?.[key]
    this.#passing.get(section)?.delete(key)
  }

  #changed (section, key, persist) {
    this.#cache.clear()
    if (persist) this.#save()
    this.emit('change', section, key)
  }

  /** Reads the file again: somebody may have edited it. */
  reload () {
    this.#passing.clear()
    if (this.#file !== null) this.#ini = new Ini(readIfThere(this.#file))
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

/** A member of an object, but nothing that it inherits. */
function ownOf (object, name) { return Object.hasOwn(object, name) ? object[name] : undefined }

function readIfThere (file) {
  try {
    return fs.readFileSync(file, 'utf8')
  } catch (error) {
    if (error.code === 'ENOENT') return ''
    throw error
  }
}

module.exports = { Config }
