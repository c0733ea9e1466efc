'use strict'

const { EventEmitter } = require('node:events')
const path = require('node:path')
const { syncFolderSync } = require('@potoroo/storage')
const { graveFault, isUnlimited } = require('./checks')
const { Ini } = require('./ini')
const { defaults } = require('./defaults')
const { newerOf, olderOf } = require('./older')
const { damaged, readIfThere } = require('./read-ini')
const { replaceFile } = require('./replace-file')
const { valuesOf } = require('./schema')
const { changesOf, lay, ownOf } = require('./sections')

/** @typedef {import('./defaults').Settings} Settings */
/** @typedef {import('./sections').SharedSections} SharedSections @typedef {import('./sections').Shared} Shared */

/**
 * The configuration: defaults, over them the ini file of the data folder, over that what the
 * application passed in (which is never written down), over that what was set until the file is
 * read again. Emits `change` with section and key.
 */
class Config extends EventEmitter {
  #file
  #ini
  #overrides
  /** Settings that are kept for several servers, over the file and in its place. @type {Shared | null} */
  #shared = null
  #saved = Promise.resolve()
  /** Section → key → value, null where it was deleted. @type {Map<string, Map<string, string | null>>} */
  #passing = new Map()
  /** Sections as they are asked for, until something changes. @type {Map<string, Record<string, string>>} */
  #cache = new Map()
  /** The same with what older sections say. @type {Map<string, Record<string, string>>} */
  #inForce = new Map()

  /**
   * @param {string | null} file path of the ini file; null keeps it in memory
   * @param {Record<string, Record<string, string | number | boolean>>} [overrides]
   * @throws where the file is damaged: defaults in its place could open what it closes
   */
  constructor (file, overrides = {}) {
    super()
    // Each part of the server that reads it at start listens.
    this.setMaxListeners(0)
    this.#file = file
    this.#overrides = overrides
    this.#ini = file === null ? new Ini() : readIfThere(file)
    this.#refuseGraveFaults()
  }

  get file () { return this.#file }

  /**
   * The value in force: a setting that its section does not have may be in the older one that CouchDB had it in.
   *
   * @param {string} section
   * @param {string} key
   * @returns {string} '' where there is none
   */
  get (section, key) {
    const values = this.#effective(section)
    return Object.hasOwn(values, key) ? values[key] : ''
  }

  /**
   * Whether a switch is on.
   *
   * @template {keyof Settings} S
   * @param {S} section
   * @param {keyof Settings[S] & string} key
   */
  boolean (section, key) { return this.get(section, key) === 'true' }

  /**
   * A whole number; the default's where the file holds something else.
   *
   * @template {keyof Settings} S
   * @param {S} section
   * @param {keyof Settings[S] & string} key
   */
  integer (section, key) {
    const number = this.number(section, key)
    if (Number.isSafeInteger(number)) return number
    return isUnlimited(key, this.get(section, key)) ? Number.MAX_SAFE_INTEGER : Number(defaults[section]?.[key])
  }

  /**
   * Any number; the default's where the file holds something else.
   *
   * @template {keyof Settings} S
   * @param {S} section
   * @param {keyof Settings[S] & string} key
   */
  number (section, key) {
    const text = this.get(section, key)
    return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : Number(defaults[section]?.[key])
  }

  /**
   * Reads the settings of a schema when they are first asked for, and again after a change.
   *
   * @template {import('./schema').Schema} S
   * @param {S} schema
   * @returns {{ readonly now: import('./schema').ValuesOf<S> }}
   */
  section (schema) {
    /** @type {import('./schema').ValuesOf<S> | null} */
    let values = null
    this.on('change', () => { values = null })
    const config = this
    return { get now () { return (values ??= valuesOf(config, schema)) } }
  }

  /** Returns the texts of a section by itself, as it is shown. @param {string} name @returns {Record<string, string>} */
  texts (name) {
    const cached = this.#cache.get(name)
    if (cached !== undefined) return cached
    const section = Object.freeze({ ...ownOf(defaults, name), ...Object.fromEntries(this.#given(name)) })
    this.#cache.set(name, section)
    return section
  }

  /** The settings that somebody has set, without defaults. @param {string} name @returns {Map<string, string>} */
  #given (name) {
    const values = new Map(this.#ini.sections().get(name))
    if (this.#shared !== null) lay(values, Object.entries(ownOf(this.#shared.sections, name) ?? {}))
    for (const [key, value] of Object.entries(ownOf(this.#overrides, name) ?? {})) values.set(key, String(value))
    return lay(values, this.#passing.get(name) ?? [])
  }

  /** A section with what an older one says of it. @param {string} name @returns {Record<string, string>} */
  #effective (name) {
    const older = olderOf(name)
    if (older === undefined) return this.texts(name)
    const cached = this.#inForce.get(name)
    if (cached !== undefined) return cached
    const inherited = [...this.#given(older.section)].filter(([key, value]) => value !== '' && older.has(key))
    const section = Object.freeze({ ...ownOf(defaults, name), ...Object.fromEntries(inherited), ...Object.fromEntries(this.#given(name)) })
    this.#inForce.set(name, section)
    return section
  }

  /** Every section, with what older ones say: what another thread is to hold for set. @returns {Record<string, Record<string, string>>} */
  inForce () {
    return Object.fromEntries(Object.keys(this.all()).map(name => [name, this.#effective(name)]))
  }

  /** Returns what the ini file says, by section. @returns {Record<string, Record<string, string>>} */
  inFile () { return Object.fromEntries([...this.#ini.sections()].map(([name, values]) => [name, Object.fromEntries(values)])) }

  /** @returns {Record<string, Record<string, string>>} */
  all () {
    const names = new Set([...Object.keys(defaults), ...this.#ini.sections().keys(), ...Object.keys(this.#shared?.sections ?? {}), ...Object.keys(this.#overrides), ...this.#passing.keys()])
    const sections = [...names].sort().map(name => [name, this.texts(name)])
    return Object.fromEntries(sections.filter(([, values]) => Object.keys(values).length > 0))
  }

  /**
   * Sets it now and, where there is a file, for ever.
   *
   * @param {string} section
   * @param {string} key
   * @param {string} value one line
   * @param {{ persist?: boolean }} [options] persist: false holds it until the file is read again; several servers keep all
   * @throws as `replaceFile` where the file cannot be written; then nothing has changed. If its folder cannot
   *   be flushed, it holds, and a power cut may take it back
   */
  set (section, key, value, { persist = true } = {}) { this.#take(section, key, value, persist) }

  /**
   * The default holds from now on or, with `persist: false`, until the file is read again.
   *
   * @param {string} section
   * @param {string} key
   * @param {{ persist?: boolean }} [options]
   * @throws as `set`
   */
  delete (section, key, { persist = true } = {}) { this.#take(section, key, null, persist) }

  /** @param {string} section @param {string} key @param {string | null} value null deletes it @param {boolean} persist */
  #take (section, key, value, persist) {
    if (persist || this.#shared !== null) this.#keep(section, key, value)
    else this.#pass(section, key, value)
    this.#changed(section, key)
    // It is in force first, as it is in the file: they would differ until the next start.
    if (persist && this.#shared === null && this.#file !== null) syncFolderSync(path.dirname(this.#file))
  }

  /**
   * Takes the application's values again.
   *
   * @param {Record<string, Record<string, string | number | boolean>>} overrides
   */
  override (overrides) {
    const names = new Set([...Object.keys(this.#overrides), ...Object.keys(overrides)])
    this.#overrides = overrides
    this.#forget()
    for (const name of names) this.emit('change', name, null)
  }

  /**
   * Keeps what is set with others from here on, and no longer in the file.
   *
   * @param {(sections: SharedSections) => Promise<void>} save
   * @param {() => boolean} isOurs whether it is this server that may set
   */
  share (save, isOurs) { this.#shared = { sections: {}, save, isOurs } }

  /** Whether what is set here is kept. */
  get isOurs () { return this.#shared === null || this.#shared.isOurs() }

  /**
   * Takes what others have set.
   *
   * @param {SharedSections} sections
   * @param {boolean} [isNews] whether it was set since the start: then it holds over the application's values, as what is set here does
   */
  receive (sections, isNews = false) {
    const shared = /** @type {Shared} */ (this.#shared)
    const changed = changesOf(shared.sections, sections)
    shared.sections = sections
    if (isNews) for (const [name, key] of changed) delete ownOf(this.#overrides, name)?.[key]
    for (const [name, key] of changed) this.#changed(name, key)
  }

  /** Resolves when all that was set is kept. @returns {Promise<void>} */
  saved () { return this.#saved }

  /** @param {string} section @param {string} key @param {string | null} value */
  #keepShared (section, key, value) {
    const shared = /** @type {Shared} */ (this.#shared)
    const sections = shared.sections = { ...shared.sections, [section]: { ...shared.sections[section], [key]: value } }
    this.#saved = this.#saved.catch(() => {}).then(() => shared.save(sections))
    // The one who waits for it is told.
    this.#saved.catch(() => {})
  }

  /**
   * The file first: a setting that it does not take is not in force, either.
   *
   * @param {string} section
   * @param {string} key
   * @param {string | null} value null deletes it
   */
  #keep (section, key, value) {
    if (this.#shared === null) this.#keepInFile(section, key, value)
    else this.#keepShared(section, key, value)
    delete ownOf(this.#overrides, section)?.[key]
    this.#passing.get(section)?.delete(key)
  }

  /** @param {string} section @param {string} key @param {string | null} value */
  #keepInFile (section, key, value) {
    const ini = new Ini(this.#ini.toString())
    if (value === null) ini.delete(section, key)
    else ini.set(section, key, value)
    if (this.#file !== null) replaceFile(this.#file, ini.toString())
    this.#ini = ini
  }

  /** @param {string} section @param {string} key @param {string | null} value */
  #pass (section, key, value) {
    this.#passing.set(section, new Map(this.#passing.get(section)).set(key, value))
  }

  /** @param {string} section @param {string | null} key */
  #changed (section, key) {
    this.#forget()
    this.emit('change', section, key)
    const newer = newerOf(section, key)
    if (newer !== undefined) this.emit('change', newer, key)
  }

  #forget () {
    this.#cache.clear()
    this.#inForce.clear()
  }

  /** Reads the file again: somebody may have edited it. */
  reload () {
    const before = this.#ini
    if (this.#file !== null) this.#ini = readIfThere(this.#file)
    this.#forget()
    try {
      this.#refuseGraveFaults()
    } catch (error) {
      this.#ini = before
      this.#forget()
      throw error
    }
    this.#passing.clear()
    this.#forget()
    for (const section of Object.keys(this.all())) this.emit('change', section, null)
  }

  #refuseGraveFaults () {
    const wrong = graveFault(this.all())
    if (wrong !== null) throw damaged(this.#file ?? 'the configuration', wrong)
  }
}

module.exports = { Config }
