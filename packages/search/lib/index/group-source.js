'use strict'

/**
 * The records of a term's blocks, in order: see ../postings/group.js.
 *
 * @typedef {{ last: number, text: string }} Group last: its last document
 * @typedef {import('./reader').IndexSpace} IndexSpace
 * @typedef {import('./layout').IndexLayout} IndexLayout
 * @typedef {{ space: IndexSpace, layout: IndexLayout, snapshot: any, term: number }} Place
 *
 * @typedef {object} GroupSource
 * @property {(doc: number, count: number) => Group[] | Promise<Group[]>} next the next ones that end at a document or behind it; none at the end
 * @property {() => void | Promise<void>} close
 */

/** Reads where reading never waits. @implements {GroupSource} */
class GroupsAtOnce {
  #place
  #from
  #isAtEnd = false

  /** @param {Place} place */
  constructor (place) {
    this.#place = place
    this.#from = place.layout.blocks(place.term)
  }

  /** @param {number} doc @param {number} count */
  next (doc, count) {
    if (this.#isAtEnd) return []
    const { space, layout, snapshot, term } = this.#place
    space.assertOpen()
    const wanted = layout.block(term, doc)
    const entries = space.keyspace.entriesSync({ gte: wanted > this.#from ? wanted : this.#from, lt: layout.blocksEnd(term), limit: count, snapshot })
    this.#isAtEnd = entries.length < count
    if (!this.#isAtEnd) this.#from = `${entries[count - 1][0]}\0`
    const groups = entries.map((/** @type {[string, string]} */ [key, text]) => ({ last: layout.lastOf(key, term), text }))
    const pause = space.afterRead(count)
    return pause === undefined ? groups : pause.then(() => groups)
  }

  close () {}
}

/** Reads from other levels. @implements {GroupSource} */
class GroupsInTurn {
  #place
  #iterator
  close

  /** @param {Place} place */
  constructor (place) {
    const { space, layout, snapshot, term } = place
    const iterator = space.keyspace.entries({ gte: layout.blocks(term), lt: layout.blocksEnd(term), snapshot })
    this.#place = place
    this.#iterator = iterator
    this.close = space.hold(() => iterator.close())
  }

  /** @param {number} doc @param {number} count @returns {Promise<Group[]>} */
  async next (doc, count) {
    const { space, layout, term } = this.#place
    for (;;) {
      const entries = await space.nextPage(this.#iterator, count)
      const groups = entries.map((/** @type {[string, string]} */ [key, text]) => ({ last: layout.lastOf(key, term), text }))
      const last = groups.at(-1)?.last
      if (last === undefined || last >= doc) return groups
      this.#iterator.seek(layout.block(term, doc))
    }
  }
}

/** @param {Place} place @returns {GroupSource} */
function groupSource (place) { return place.space.keyspace.reads ? new GroupsAtOnce(place) : new GroupsInTurn(place) }

module.exports = { groupSource }
