'use strict'

const { EventEmitter } = require('node:events')
const crypto = require('node:crypto')

const PREFIX = 'updates/'
const META = `${PREFIX}m`
const ENTRIES = `${PREFIX}e`

/** Whatever else the application keeps in its level. */
const TEXT = { keyEncoding: 'utf8', valueEncoding: 'utf8' }

/** Sequences that are left out after a crash: more than can have been told since the last save. */
const LEAP = 1_000_000

/** @typedef {'created' | 'updated' | 'deleted'} UpdateType */

/**
 * The last event of one type of one database; `instanceId` and `updateSeq` say what the database was then.
 * @typedef {{ type: UpdateType, name: string, seq: number, instanceId?: string, updateSeq: number }} UpdateEntry
 */

/**
 * Keeps what has happened to databases, for `_db_updates`: of each the last time that it was created, updated and
 * deleted. Updates are noted in memory, gathered for a moment, and saved now and then, beside the commits that
 * they are of; what a crash took is found again by comparing with the databases. Emits `events`.
 *
 * Stored in the server's level:
 *
 *   updates/m            JSON { instanceId, seq, clean }: clean says that everything was saved
 *   updates/e type:name  JSON [seq, instanceId, updateSeq]
 *
 * @see https://docs.couchdb.org/en/stable/api/server/common.html#db-updates
 */
class DatabaseUpdates extends EventEmitter {
  #level
  #databases
  #config
  /** By type and name, in the order of their sequences. @type {Map<string, UpdateEntry>} */
  #entries = new Map()
  #seq = 0
  /** Databases that were updated and are not noted yet. @type {Map<string, any>} */
  #touched = new Map()
  /** Keys of entries that are not saved yet. @type {Set<string>} */
  #unsaved = new Set()
  /** @type {NodeJS.Timeout | undefined} */
  #noting
  /** @type {NodeJS.Timeout | undefined} */
  #saving
  #saved = Promise.resolve()
  #onError
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
    this.#level = level
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
    this.#databases.on('created', (name, store) => this.#note('created', name, store))
    this.#databases.on('deleted', name => this.#noteDeleted(name))
    this.#databases.on('updated', (name, store) => this.#touch(name, store))
    // A storage that is full can be read, and made room in.
    await this.#save()
  }

  async #load () {
    const text = await this.#level.get(META, TEXT)
    const meta = text === undefined ? { instanceId: crypto.randomBytes(16).toString('hex'), seq: 0, clean: true } : JSON.parse(text)
    this.instanceId = meta.instanceId
    this.#seq = meta.seq + (meta.clean ? 0 : LEAP)
    /** @type {Array<[string, UpdateEntry]>} */
    const entries = []
    for await (const [key, value] of this.#level.iterator({ gte: ENTRIES, lt: `${PREFIX}f`, ...TEXT })) {
      const id = key.slice(ENTRIES.length)
      const colon = id.indexOf(':')
      const [seq, instanceId, updateSeq] = JSON.parse(value)
      entries.push([id, { type: /** @type {UpdateType} */ (id.slice(0, colon)), name: id.slice(colon + 1), seq, instanceId, updateSeq }])
    }
    this.#entries = new Map(entries.sort(([, a], [, b]) => a.seq - b.seq))
  }

  async #findMissed () {
    const there = new Map((await this.#databases.summaries()).map(summary => [summary.name, summary]))
    for (const { type, name } of [...this.#entries.values()]) {
      if (type === 'created' && !this.#databases.has(name) && !this.#isDeleted(name)) this.#noteDeleted(name)
    }
    for (const [name, summary] of there) {
      const created = this.#entries.get(`created:${name}`)
      const isOther = created?.instanceId !== summary.instanceId
      // The one that was there is gone, and there is another of its name.
      if (isOther && created !== undefined && !this.#isDeleted(name)) this.#noteDeleted(name)
      if (isOther) this.#note('created', name, { ...summary, updateSeq: 0 })
      const known = Math.max(this.#knownOf('created', summary), this.#knownOf('updated', summary))
      if (summary.updateSeq > known) this.#note('updated', name, summary)
    }
  }

  #knownOf (type, { name, instanceId }) {
    const entry = this.#entries.get(`${type}:${name}`)
    return entry?.instanceId === instanceId ? entry.updateSeq : 0
  }

  #isDeleted (name) {
    const deleted = this.#entries.get(`deleted:${name}`)
    return deleted !== undefined && deleted.seq > (this.#entries.get(`created:${name}`)?.seq ?? 0)
  }

  #touch (name, store) {
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

  #note (type, name, store) {
    this.#set(type, name, store)
    this.#announce()
  }

  #noteDeleted (name) {
    this.#touched.delete(name)
    this.#note('deleted', name, { updateSeq: 0 })
  }

  /** @param {UpdateType} type @param {string} name @param {{ instanceId?: string, updateSeq: number }} database */
  #set (type, name, { instanceId, updateSeq }) {
    const key = `${type}:${name}`
    // An event that is set again comes last.
    this.#entries.delete(key)
    this.#entries.set(key, { type, name, seq: ++this.#seq, instanceId, updateSeq })
    this.#unsaved.add(key)
  }

  #announce () {
    this.#saving ??= setTimeout(() => { this.#save() }, this.#config.integer('global_changes', 'max_write_delay')).unref()
    this.emit('events')
  }

  /**
   * The events after a sequence, in their order.
   *
   * @param {number} since
   * @returns {UpdateEntry[]}
   */
  after (since) {
    return since >= this.#seq ? [] : [...this.#entries.values()].filter(({ seq }) => seq > since)
  }

  #save () {
    clearTimeout(this.#saving)
    this.#saving = undefined
    this.#saved = this.#saved.then(() => this.#write(false)).catch(this.#onError)
    return this.#saved
  }

  async #write (clean) {
    const keys = [...this.#unsaved]
    this.#unsaved.clear()
    const operations = keys.map(key => {
      const { seq, instanceId, updateSeq } = /** @type {UpdateEntry} */ (this.#entries.get(key))
      return { type: 'put', key: ENTRIES + key, value: JSON.stringify([seq, instanceId ?? null, updateSeq]) }
    })
    const meta = { instanceId: this.instanceId, seq: this.#seq, clean }
    try {
      await this.#level.batch([...operations, { type: 'put', key: META, value: JSON.stringify(meta) }], TEXT)
    } catch (error) {
      for (const key of keys) this.#unsaved.add(key)
      throw error
    }
  }

  /** Saves all, once the databases are closed. */
  async close () {
    this.#noteTouched()
    await this.#save()
    clearTimeout(this.#saving)
    await this.#write(true).catch(this.#onError)
  }
}

module.exports = { DatabaseUpdates }
