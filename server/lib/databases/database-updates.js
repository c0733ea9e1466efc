'use strict'

const { EventEmitter } = require('node:events')
const crypto = require('node:crypto')
const { StoredUpdates } = require('./stored-updates')

/** Sequences that are left out after a crash: more than can have been told since the last save. */
const LEAP = 1_000_000

/** Events in memory that are saved before their time. */
const MOST_UNSAVED = 1000

/** Databases that are compared at once. */
const PAGE = 256

/** @typedef {import('./stored-updates').UpdateType} UpdateType */

/** A database, as far as its events tell of it. @typedef {{ instanceId?: string | null, updateSeq: number }} UpdateSource */
/** @typedef {UpdateSource & { name: string }} Summary */
/** @typedef {import('@potoroo/document-store').DocumentStore} DocumentStore */
/** @typedef {import('./stored-updates').UpdateEntry} UpdateEntry */

/**
 * Keeps what has happened to databases, for `_db_updates`: of each the last time that it was created, updated and
 * deleted. Updates are noted in memory, gathered for a moment, and saved now and then, beside the commits that
 * they are of; what a crash took is found again by comparing with the databases. Emits `events`.
 *
 * @see https://docs.couchdb.org/en/stable/api/server/common.html#db-updates
 */
class DatabaseUpdates extends EventEmitter {
  #stored
  #databases
  #config
  #seq = 0
  /** Databases that were updated and are not noted yet. @type {Map<string, any>} */
  #touched = new Map()
  /** @type {NodeJS.Timeout | undefined} */
  #noting
  /** @type {NodeJS.Timeout | undefined} */
  #saving
  #saved = Promise.resolve()
  /** Whether they will be saved that are noted now. */
  #willSave = false
  #onError
  /** @type {Array<[string, (...args: any[]) => void]>} */
  #listeners = [
    ['created', (name, store) => this.#note('created', name, store)],
    ['deleted', name => this.#noteDeleted(name)],
    ['updated', (name, store) => this.touch(name, store)]
  ]

  instanceId = ''

  /**
   * @param {any} level
   * @param {import('@potoroo/document-store').Databases} databases
   * @param {import('../config/config').Config} config
   * @param {(error: any) => void} onError hears why something could not be saved
   */
  constructor (level, databases, config, onError) {
    super()
    // Every feed listens.
    this.setMaxListeners(0)
    this.#stored = new StoredUpdates(level)
    this.#databases = databases
    this.#config = config
    this.#onError = onError
  }

  /** The last sequence. */
  get seq () { return this.#seq }

  /** Reads what was saved, finds what is missing of it, and listens from then on. */
  async open () {
    await this.#load()
    await this.#findMissed()
    /** @type {EventEmitter} */
    const databases = this.#databases
    for (const [event, listener] of this.#listeners) databases.on(event, listener)
    // A storage that is full can be read, and made room in.
    await this.#save()
  }

  async #load () {
    const meta = await this.#stored.open() ?? { instanceId: crypto.randomBytes(16).toString('hex'), seq: 0, clean: true }
    this.instanceId = meta.instanceId
    this.#seq = meta.seq + (meta.clean ? 0 : LEAP)
  }

  async #findMissed () {
    for await (const page of this.#stored.each('created')) await this.#findDeleted(page.filter(({ name }) => !this.#databases.has(name)))
    const summaries = await this.#databases.summaries()
    for (let i = 0; i < summaries.length; i += PAGE) await this.#findChanged(summaries.slice(i, i + PAGE))
  }

  /** @param {Array<{ name: string, seq: number }>} created */
  async #findDeleted (created) {
    const deleted = await this.#stored.stored('deleted', created.map(({ name }) => name))
    for (const [i, { name, seq }] of created.entries()) if (!isAfter(deleted[i], seq)) this.#noteDeleted(name)
    await this.#saveMany()
  }

  /** @param {Summary[]} summaries */
  async #findChanged (summaries) {
    const names = summaries.map(({ name }) => name)
    const [created, updated, deleted] = await Promise.all(['created', 'updated', 'deleted'].map(type => this.#stored.stored(/** @type {UpdateType} */ (type), names)))
    for (const [i, summary] of summaries.entries()) {
      const { name, instanceId, updateSeq } = summary
      const isOther = created[i]?.instanceId !== instanceId
      // The one that was there is gone, and there is another of its name.
      if (isOther && created[i] !== undefined && !isAfter(deleted[i], created[i].seq)) this.#noteDeleted(name)
      if (isOther) this.#note('created', name, { instanceId, updateSeq: 0 })
      const known = [created[i], updated[i]].map(entry => entry?.instanceId === instanceId ? /** @type {UpdateEntry} */ (entry).updateSeq : 0)
      if (updateSeq > Math.max(...known)) this.#note('updated', name, summary)
    }
    await this.#saveMany()
  }

  /** Keeps a few in memory at once where there are very many databases, as when all are new. */
  async #saveMany () { if (this.#stored.unsaved >= MOST_UNSAVED) await this.#save() }

  /** A database was updated. @param {string} name @param {UpdateSource} store as it is once the event is noted */
  touch (name, store) {
    if (this.#config.get('global_changes', 'update_db') === 'false') return
    this.#touched.set(name, store)
    this.#noting ??= setTimeout(() => this.#noteTouched(), this.#config.integer('global_changes', 'max_event_delay'))
  }

  #noteTouched () {
    clearTimeout(this.#noting)
    this.#noting = undefined
    for (const [name, store] of this.#touched) this.#set('updated', name, store)
    this.#touched.clear()
    this.#announce()
  }

  /** @param {UpdateType} type @param {string} name @param {UpdateSource} store */
  #note (type, name, store) {
    this.#set(type, name, store)
    this.#announce()
  }

  /** @param {string} name */
  #noteDeleted (name) {
    this.#touched.delete(name)
    this.#note('deleted', name, { updateSeq: 0 })
  }

  /** @param {UpdateType} type @param {string} name @param {UpdateSource} database */
  #set (type, name, { instanceId, updateSeq }) {
    this.#stored.set({ type, name, seq: ++this.#seq, instanceId, updateSeq })
  }

  #announce () {
    if (this.#stored.unsaved >= MOST_UNSAVED) this.#save()
    else this.#saving ??= setTimeout(() => { this.#save() }, this.#config.integer('global_changes', 'max_write_delay')).unref()
    this.emit('events')
  }

  /**
   * The events after a sequence, in their order or backwards, as they are when the first one is asked for.
   *
   * @param {number} since
   * @param {boolean} [backwards]
   */
  after (since, backwards) { return this.#stored.after(since, backwards) }

  #save () {
    clearTimeout(this.#saving)
    this.#saving = undefined
    if (this.#willSave) return this.#saved
    this.#willSave = true
    this.#saved = this.#saved.then(() => this.#write(false)).catch(this.#onError)
    return this.#saved
  }

  /** @param {boolean} clean */
  #write (clean) {
    this.#willSave = false
    return this.#stored.save({ instanceId: this.instanceId, seq: this.#seq, clean })
  }

  /** Saves all, once the databases are closed, and ends feeds. */
  async close () {
    /** @type {EventEmitter} */
    const databases = this.#databases
    for (const [event, listener] of this.#listeners) databases.off(event, listener)
    this.#noteTouched()
    this.emit('close')
    await this.#save()
    clearTimeout(this.#saving)
    await this.#write(true).catch(this.#onError)
  }
}

/** @param {UpdateEntry | undefined} entry @param {number} seq */
function isAfter (entry, seq) { return entry !== undefined && entry.seq > seq }

module.exports = { DatabaseUpdates }
