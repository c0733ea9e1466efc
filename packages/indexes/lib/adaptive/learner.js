'use strict'

const { Catalogue } = require('../index/catalogue')
const { RowLayout, rangeOf } = require('../rows/row-layout')
const { descriptorOf, nameOf } = require('./describe')
const { LearnedIndex, definitionOf, isLearned } = require('./learned-index')
const { ONE_IN, ShapeNotes, isDull, pays } = require('./shape-notes')
const { isFor } = require('./shape')

/**
 * @typedef {import('@potoroo/document-store').DocumentStore} DocumentStore
 * @typedef {import('./shape-notes').Note} Note
 * @typedef {import('./shape').Shape} Shape
 *
 * @typedef {object} LearnerOptions
 * @property {import('./adaptive-settings').Settings} settings
 * @property {import('./background').Background} background
 * @property {() => number} now milliseconds
 * @property {(error: Error) => void} onError
 */

/** Milliseconds between two looks at what is no longer used. */
const REVIEW = 60 * 1000

/** Learns for one database from what it is asked: it notes finds, and keeps the indexes that came of them. */
class Learner {
  #store
  #catalogue
  #layout
  #notes
  #settings
  #background
  #onError
  #turns = Promise.resolve()
  /** signature → index @type {Map<string, LearnedIndex>} */
  #learned = new Map()
  /** Fields of which there is to be no index → since when @type {Map<string, number>} */
  #refused = new Map()
  /** The timer of the next update after a write. @type {NodeJS.Timeout | undefined} */
  #updating
  /** The timer of the next review. @type {NodeJS.Timeout | undefined} */
  #reviewing

  /**
   * Use `open`.
   *
   * @param {import('@potoroo/document-store').DocumentStore} store
   * @param {Catalogue} catalogue
   * @param {LearnerOptions} options
   */
  constructor (store, catalogue, { settings, background, now, onError }) {
    this.#store = store
    this.#catalogue = catalogue
    this.#layout = new RowLayout(store.indexSpace.prefix)
    this.#notes = new ShapeNotes(settings)
    this.#settings = settings
    this.#background = background
    this.now = now
    this.#onError = onError
  }

  /** @param {DocumentStore} store @param {LearnerOptions} options */
  static async open (store, options) {
    const learner = new Learner(store, await Catalogue.of(store), options)
    await learner.#load()
    return learner
  }

  /** Reads what was learned in an earlier life. An index that a crash left without its lesson goes. */
  async #load () {
    const { keyspace } = this.#store.indexSpace
    for (const [, text] of await keyspace.entries(rangeOf(this.#layout.lessons)).all()) this.#add(JSON.parse(text))
    for (const signature of this.#catalogue.signatures()) {
      if (isLearned(signature) && !this.#learned.has(signature)) await this.#catalogue.drop(signature)
    }
    this.#store.on('commit', () => this.#wrote())
    this.#store.once('close', () => this.#stop())
    this.#update()
  }

  /** @param {import('./learned-index').Lesson} lesson */
  #add (lesson) {
    const index = this.#catalogue.open(definitionOf(lesson.fields, nameOf(lesson.fields)))
    const learned = new LearnedIndex(this.#store, index, lesson, { settings: this.#settings, now: this.now })
    learned.descriptor = descriptorOf(learned, this.now)
    this.#learned.set(learned.signature, learned)
    this.#reviewLater()
    return learned
  }

  /** Whether the database is large enough, or was when it learned what it has. */
  get learns () { return this.#learned.size > 0 || this.#store.docCount >= this.#settings.minDocuments }

  get isEmpty () { return this.#learned.size === 0 }

  /** The last asked first. */
  get indexes () { return [...this.#learned.values()].sort((a, b) => b.lesson.lastAsked - a.lesson.lastAsked) }

  /** Shapes without an index, the last asked first. */
  get notes () { return this.#notes.list() }

  /** @param {import('./shape').Shape} shape */
  note (shape) { return this.#notes.get(shape) }

  /** The index that was learned from a shape. @param {import('./shape').Shape} shape */
  indexFor (shape) { return [...this.#learned.values()].find(({ fields }) => isFor(fields, shape)) }

  /**
   * Somebody asks for a shape. Its index, where it rested or is far behind, is ready for a later find.
   *
   * @param {import('./shape').Shape} shape
   */
  ask (shape) {
    const own = this.indexFor(shape)
    own?.ask(this.now())
    if (own !== undefined && !own.usable) this.#refresh(own)
  }

  /** Brings an index up to date in the background. @param {LearnedIndex} learned */
  #refresh (learned) {
    if (!learned.isPausing(this.now())) this.#background.add(learned)
  }

  /**
   * Whether a find of a shape goes unseen: of those that have taught little so far, some stand for all.
   *
   * @param {Shape} shape
   */
  skips (shape) {
    const note = this.#notes.find(shape)
    if (note === undefined || !this.#isDull(note)) return false
    note.unseen = (note.unseen + 1) % ONE_IN
    return note.unseen !== 0
  }

  /** @param {Note} note */
  #isDull (note) {
    return isDull(note, this.#store.docCount) || (this.#learned.size >= this.#settings.maxIndexes && note.asked >= ONE_IN)
  }

  /**
   * A find has ended that no index of its shape has answered.
   *
   * @param {import('./shape').Shape} shape
   * @param {{ examined: number, needed: number, returned: number }} cost
   * @param {boolean} scanned whether it was by no index at all
   * @returns {boolean} whether there is an index of its shape, or will be
   */
  end (shape, cost, scanned) {
    if (this.#store.closed) return false
    const own = this.indexFor(shape)
    if (own !== undefined) {
      if (scanned) own.missed(cost)
      return true
    }
    const known = this.#notes.find(shape)
    const note = this.#notes.add(shape, cost, { now: this.now(), stands: known !== undefined && this.#isDull(known) ? ONE_IN : 1 })
    if (!this.#pays(note)) return false
    this.#turn(() => this.#consider(note, shape)).catch(() => {}) // it was told
    return true
  }

  /** @param {Note} note */
  #pays (note) { return !this.#isRefused(note.fields) && pays(note, this.#store.docCount, this.#settings) }

  /** @param {string[]} fields */
  #isRefused (fields) {
    const since = this.#refused.get(JSON.stringify(fields))
    return since !== undefined && this.now() - since < this.#settings.restAfter
  }

  /** @param {Note} note @param {Shape} shape */
  async #consider (note, shape) {
    if (this.indexFor(shape) !== undefined || !this.#pays(note)) return
    if (!await this.#makeRoom()) return
    const now = this.now()
    const { fields, asked, examined, returned } = note
    const learned = this.#add({ fields, since: now, asked, scans: asked, examined, returned, lastAsked: now })
    this.#notes.remove(fields)
    try {
      await this.#save(learned)
    } catch (error) {
      this.#learned.delete(learned.signature)
      throw error
    }
    this.#background.add(learned)
  }

  /** The one that rests longest makes room for another; those that are in use do not. */
  async #makeRoom () {
    if (this.#learned.size < this.#settings.maxIndexes) return true
    const last = this.indexes.at(-1)
    if (last === undefined || !last.isResting(this.now())) return false
    await this.#drop(last)
    return true
  }

  /** @param {LearnedIndex} learned */
  async #save (learned) {
    learned.changed = false
    const { keyspace } = this.#store.indexSpace
    await keyspace.write([{ type: 'put', key: this.#layout.lesson(learned.fields), value: JSON.stringify(learned.lesson) }])
  }

  /**
   * The lesson goes first: what a crash leaves of its index is dropped at the next opening.
   *
   * @param {LearnedIndex} learned
   */
  async #drop (learned) {
    this.#learned.delete(learned.signature)
    this.#background.remove(learned)
    const { keyspace } = this.#store.indexSpace
    await keyspace.write([{ type: 'del', key: this.#layout.lesson(learned.fields) }])
    await learned.leave()
    await this.#catalogue.drop(learned.signature)
  }

  /** Drops what nobody has asked for in a long time, what fails, and what there is no room for; stores what is new of the others. */
  review () {
    return this.#turn(async () => {
      const now = this.now()
      let room = this.#settings.maxSize
      for (const learned of this.indexes) {
        if (learned.isHopeless || learned.size > room) await this.#refuse(learned)
        else if (learned.isForgotten(now)) await this.#drop(learned)
        else {
          room -= learned.size
          if (learned.changed) await this.#save(learned)
        }
      }
    })
  }

  /** Drops an index, and does not make it again soon. @param {LearnedIndex} learned */
  async #refuse (learned) {
    if (this.#refused.size >= this.#settings.maxShapes) this.#refused.clear()
    this.#refused.set(JSON.stringify(learned.fields), this.now())
    await this.#drop(learned)
  }

  /** Drops all that was learned. */
  forget () {
    return this.#turn(async () => {
      this.#notes.clear()
      for (const learned of this.indexes) await this.#drop(learned)
    })
  }

  /** Resolves when the work in the background has ended, and work that waits for later is done. */
  async settled () {
    await this.#turns
    if (this.#updating !== undefined) this.#update()
    await this.#background.idle()
  }

  /** Indexes come and go one after another. @param {() => Promise<void>} action */
  #turn (action) {
    const result = this.#turns.then(() => this.#store.closed ? undefined : action())
    this.#turns = result.catch(error => this.#onError(error))
    return result
  }

  /** All that are in use are brought up to date, soon. */
  #wrote () {
    if (this.#learned.size === 0 || this.#store.closed) return
    this.#updating ??= setTimeout(() => this.#update(), this.#settings.delay).unref()
  }

  #update () {
    clearTimeout(this.#updating)
    this.#updating = undefined
    const now = this.now()
    for (const learned of this.#learned.values()) {
      if (!learned.isResting(now) && learned.behind > 0) this.#refresh(learned)
    }
  }

  #reviewLater () {
    // Work that began before the end of the store may get here after it.
    if (this.#store.closed) return
    this.#reviewing ??= setTimeout(() => {
      this.#reviewing = undefined
      if (this.#learned.size > 0) this.#reviewLater()
      this.review().catch(() => {}) // it was told
    }, REVIEW).unref()
  }

  #stop () {
    clearTimeout(this.#updating)
    clearTimeout(this.#reviewing)
    for (const learned of this.#learned.values()) this.#background.remove(learned)
  }
}

module.exports = { Learner }
