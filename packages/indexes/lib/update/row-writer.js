'use strict'

const { nextRound } = require('@potoroo/document-store')
const { RowCommit, partsOf } = require('./row-commit')

/** Lists of rows that are read at once, and operations that are written at once, except for those of one document. */
const LISTS = 100
const MOST_OPERATIONS = 4000

/**
 * @typedef {import('../index/row-index').DocumentRows} DocumentRows
 * @typedef {import('../index/level-index').IndexState} IndexState
 *
 * @typedef {object} WrittenIndex
 * @property {IndexState} state as of the last commit
 * @property {import('@potoroo/collation').Collation[]} collations
 */

/**
 * Turns the rows of documents into commits to an index, each of which leaves it whole. It reads before it
 * writes, so nothing else may write meanwhile.
 */
class RowWriter {
  #space
  #layout
  #index
  #commit

  /**
   * @param {import('../rows/row-layout').IndexSpace} space
   * @param {import('../rows/row-layout').RowLayout} layout
   * @param {WrittenIndex} index
   * @param {(commit: RowCommit, reached?: Partial<IndexState>) => Promise<void>} commit changes the index's state, too
   */
  constructor (space, layout, index, commit) {
    this.#space = space
    this.#layout = layout
    this.#index = index
    this.#commit = commit
  }

  /** @param {DocumentRows[]} documents @param {import('../index/level-index').Reached} reached */
  async replace (documents, { seq = this.#index.state.seq, purgeSeq = this.#index.state.purgeSeq, fresh = false }) {
    let commit = this.#newCommit()
    for (let at = 0; at < documents.length; at += LISTS) {
      const some = fresh ? documents : documents.slice(at, at + LISTS)
      const lists = fresh ? [] : await this.#listsOf(some)
      for (let i = 0; i < some.length; i++) {
        const parts = partsOf(lists[i])
        if (parts > 0 || commit.operations.length >= MOST_OPERATIONS) {
          await this.#commit(commit)
          await this.#removeParts(some[i].id, parts)
          await nextRound()
          commit = this.#newCommit()
        }
        commit.replace(some[i], parts > 0 ? undefined : lists[i])
      }
      if (fresh) break
    }
    await this.#commit(commit, { seq, purgeSeq })
  }

  /** @param {DocumentRows} document @param {import('../index/row-index').PartPlace} place */
  async extend ({ id, rows }, { part, fresh, isLast, seq = this.#index.state.seq }) {
    if (part === 0 && !fresh) await this.#empty(id)
    const commit = this.#newCommit()
    commit.add({ id, rows }, part, isLast)
    await this.#commit(commit, isLast ? { seq } : {})
  }

  /** @param {string} id */
  async #empty (id) {
    const [list] = await this.#listsOf([{ id }])
    if (partsOf(list) > 0) return this.#removeParts(id, partsOf(list))
    const commit = this.#newCommit()
    commit.replace({ id, rows: [] }, list)
    commit.begin(id)
    await this.#commit(commit)
  }

  /** @param {string} id @param {number} parts */
  async #removeParts (id, parts) {
    for (let part = parts - 1; part >= 0; part--) {
      const commit = this.#newCommit()
      commit.remove(id, part, await this.#space.keyspace.get(this.#layout.partOf(this.#index.state.index, part, id)))
      await this.#commit(commit)
      await nextRound()
    }
  }

  /** @param {Array<{ id: string }>} documents @returns {Promise<Array<string | undefined>>} which rows each has */
  #listsOf (documents) {
    const lists = this.#layout.listsOf(this.#index.state.index)
    return this.#space.keyspace.getMany(documents.map(({ id }) => lists + id))
  }

  #newCommit () { return new RowCommit(this.#layout, this.#index.state, this.#index.collations[0]?.compareValues) }
}

module.exports = { RowWriter }
