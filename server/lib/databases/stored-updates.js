'use strict'

const PREFIX = 'updates/'
const META = `${PREFIX}m`
const ENTRIES = `${PREFIX}e`
const ENTRIES_END = `${PREFIX}f`
const SEQUENCES = `${PREFIX}s`
const SEQUENCES_END = `${PREFIX}t`

/** Whatever else the application keeps in its level. */
const TEXT = { keyEncoding: 'utf8', valueEncoding: 'utf8' }

/** Entries that are in memory at once. */
const PAGE = 256

/** Digits of a sequence, so that keys sort as numbers do. */
const DIGITS = 16

/** @typedef {'created' | 'updated' | 'deleted'} UpdateType */

/**
 * The last event of one type of one database; `instanceId` and `updateSeq` say what the database was then.
 * @typedef {{ type: UpdateType, name: string, seq: number, instanceId?: string | null, updateSeq: number }} UpdateEntry
 * @typedef {Pick<UpdateEntry, 'type' | 'name' | 'seq'>} UpdateEvent
 */

/**
 * The last event of each type of each database that ever was, in the server's level. Only those that
 * are not saved yet are in memory: names are never forgotten.
 *
 *   updates/m            JSON { instanceId, seq, clean, ordered }: clean says that everything was saved,
 *                        ordered that there are sequences
 *   updates/e type:name  JSON [seq, instanceId, updateSeq]
 *   updates/s seq        type:name; seq has 16 digits
 */
class StoredUpdates {
  #level
  /** By type and name, in the order of their sequences. @type {Map<string, UpdateEntry>} */
  #unsaved = new Map()
  /** The last sequence that is stored. */
  #savedSeq = 0

  /** @param {any} level */
  constructor (level) {
    this.#level = level
  }

  /** How many entries are in memory. */
  get unsaved () { return this.#unsaved.size }

  /** @returns {Promise<{ instanceId: string, seq: number, clean: boolean } | undefined>} what was saved with them */
  async open () {
    const text = await this.#level.get(META, TEXT)
    if (text === undefined) return undefined
    const { ordered, ...meta } = JSON.parse(text)
    this.#savedSeq = meta.seq
    if (ordered !== true) await this.#order()
    return meta
  }

  /** Earlier versions wrote no sequences, and do not keep those that are there. */
  async #order () {
    await this.#level.clear({ gte: SEQUENCES, lt: SEQUENCES_END, ...TEXT })
    for await (const page of pagesOf(this.#iterator({ gte: ENTRIES, lt: ENTRIES_END }))) {
      const operations = page.map(([key, text]) => ({ type: 'put', key: sequenceKey(JSON.parse(text)[0]), value: key.slice(ENTRIES.length) }))
      await this.#level.batch(operations, TEXT)
    }
  }

  /** @param {any} range */
  #iterator (range) { return this.#level.iterator({ ...range, ...TEXT }) }

  /** An event that is set again comes last. @param {UpdateEntry} entry its sequence is above all others */
  set (entry) {
    const id = idOf(entry)
    this.#unsaved.delete(id)
    this.#unsaved.set(id, entry)
  }

  /**
   * @param {UpdateType} type
   * @param {string[]} names
   * @returns {Promise<Array<UpdateEntry | undefined>>} those that are stored, in the order of the names
   */
  async stored (type, names) {
    const texts = await this.#level.getMany(names.map(name => `${ENTRIES}${type}:${name}`), TEXT)
    return texts.map((/** @type {string | undefined} */ text, /** @type {number} */ i) => text === undefined ? undefined : entryOf(type, names[i], text))
  }

  /** Stored entries of a type, a few at a time. @param {UpdateType} type @returns {AsyncGenerator<UpdateEntry[]>} */
  async * each (type) {
    const start = `${ENTRIES}${type}:`
    for await (const page of pagesOf(this.#iterator({ gte: start, lt: `${ENTRIES}${type};` }))) {
      yield page.map(([key, text]) => entryOf(type, key.slice(start.length), text))
    }
  }

  /**
   * The events after a sequence, in their order or backwards, as they are when the first one is asked for.
   *
   * @param {number} since
   * @param {boolean} [backwards]
   * @returns {AsyncGenerator<UpdateEvent>}
   */
  async * after (since, backwards = false) {
    const unsaved = new Map(this.#unsaved)
    // An iterator reads what is there when it is made, so that no entry is in neither.
    const saved = since < this.#savedSeq ? this.#iterator({ gt: sequenceKey(since), lt: SEQUENCES_END, reverse: backwards }) : undefined
    const later = [...unsaved.values()].filter(({ seq }) => seq > since)
    try {
      if (backwards) yield * later.reverse()
      if (saved !== undefined) {
        for await (const page of pagesOf(saved)) yield * page.filter(([, id]) => !unsaved.has(id)).map(eventOf)
      }
      if (!backwards) yield * later
    } finally {
      await saved?.close()
    }
  }

  /**
   * Saves what is not saved yet: one at a time.
   *
   * @param {{ instanceId: string, seq: number, clean: boolean }} meta
   */
  async save (meta) {
    const entries = [...this.#unsaved]
    const before = await this.#level.getMany(entries.map(([id]) => ENTRIES + id), TEXT)
    const operations = entries.flatMap(([id, { seq, instanceId, updateSeq }], i) => [
      ...(before[i] === undefined ? [] : [{ type: 'del', key: sequenceKey(JSON.parse(before[i])[0]) }]),
      { type: 'put', key: ENTRIES + id, value: JSON.stringify([seq, instanceId ?? null, updateSeq]) },
      { type: 'put', key: sequenceKey(seq), value: id }
    ])
    await this.#level.batch([...operations, { type: 'put', key: META, value: JSON.stringify({ ...meta, ordered: true }) }], TEXT)
    this.#savedSeq = meta.seq
    // One that was set again meanwhile is another one.
    for (const [id, entry] of entries) if (this.#unsaved.get(id) === entry) this.#unsaved.delete(id)
  }
}

/** @param {any} iterator @returns {AsyncGenerator<Array<[string, string]>>} */
async function * pagesOf (iterator) {
  try {
    for (let page = await iterator.nextv(PAGE); page.length > 0; page = await iterator.nextv(PAGE)) yield page
  } finally {
    await iterator.close()
  }
}

/** @param {number} seq */
function sequenceKey (seq) { return SEQUENCES + String(seq).padStart(DIGITS, '0') }

/** @param {Pick<UpdateEntry, 'type' | 'name'>} entry */
function idOf ({ type, name }) { return `${type}:${name}` }

/** @param {UpdateType} type @param {string} name @param {string} text @returns {UpdateEntry} */
function entryOf (type, name, text) {
  const [seq, instanceId, updateSeq] = JSON.parse(text)
  return { type, name, seq, instanceId, updateSeq }
}

/** @param {[string, string]} row @returns {UpdateEvent} */
function eventOf ([key, id]) {
  const colon = id.indexOf(':')
  return { type: /** @type {UpdateType} */ (id.slice(0, colon)), name: id.slice(colon + 1), seq: Number(key.slice(SEQUENCES.length)) }
}

module.exports = { StoredUpdates }
