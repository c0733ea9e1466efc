'use strict'

const { del, put } = require('../media/keyspace')
const { encodeNumber } = require('../media/layout')
const { accessOf } = require('../media/record')
const { isLinear } = require('../revision-tree/linear')
const { leavesOf } = require('../revision-tree/leaves')
const { encodeRevision } = require('../revision-tree/revision')
const { readersOf } = require('./access-list')

/**
 * @import { Core } from '../store/core'
 * @import { DocumentState } from '../commit/document-state'
 * @import { DocumentRecord } from '../media/record'
 * @import { Operation } from '../media/keyspace'
 *
 * @typedef {DocumentState & { stored: DocumentRecord, storedWinner: string }} Stored
 * @typedef {{ state: DocumentState, seq: number, before: string[], after: string[] }} Turnover
 */

/**
 * Rows by principal: what each may see, so that to read it costs what it is and not what the database is. They are
 * written in the batch that writes the document, and follow the winner.
 *
 *   b principal /d id         times    a document that the principal may see, deleted ones too
 *   b principal /s sequence   '0'|'1'  its last change: whether the winner is live or deleted
 *                             'g' times ' ' leaf { ',' leaf } ' ' id
 *                                      the change with which the principal ceased to see a document, and the leaves that
 *                                      they saw of it
 *   g id                      JSON { principal: sequence } of all those rows of a document
 *
 * Times are sequences with commas between: of the change with which the principal began to see the document, of that with which
 * they ceased to, and so on.
 */
class AccessRows {
  #core
  #operations
  /** @type {Turnover[]} */
  #turnovers = []
  /** Documents of which nothing is left. @type {string[]} */
  #erased = []

  /** @param {Core} core @param {Operation[]} operations the commit's, to which it adds */
  constructor (core, operations) {
    this.#core = core
    this.#operations = operations
  }

  /**
   * Follows a document as it is written.
   *
   * @param {DocumentState} state
   * @param {string} payload the winner's
   * @param {number} seq
   * @returns {string[]} whom its change concerns
   */
  record (state, payload, seq) {
    const { layout } = this.#core
    const after = readersOf(state.id, accessOf(payload))
    const before = this.#unlist(state)
    for (const principal of after) this.#operations.push(put(layout.seenChanges(principal) + encodeNumber(seq), state.deleted ? '1' : '0'))
    if (state.stored === null) for (const principal of after) this.#operations.push(put(layout.seenIds(principal) + state.id, String(seq)))
    else if (after.length !== before.length || after.some(principal => !before.includes(principal))) this.#turnovers.push({ state, seq, before, after })
    else return after
    return after.concat(before.filter(principal => !after.includes(principal)))
  }

  /**
   * Follows a document that is purged: nobody is told.
   *
   * @param {Stored} state
   */
  erase (state) {
    const { layout } = this.#core
    for (const principal of this.#unlist(state)) this.#operations.push(del(layout.seenIds(principal) + state.id))
    this.#erased.push(state.id)
  }

  /** Removes the last change. @param {DocumentState} state @returns {string[]} of whom */
  #unlist ({ id, stored }) {
    if (stored === null) return []
    const readers = readersOf(id, stored.access)
    for (const principal of readers) this.#operations.push(del(this.#core.layout.seenChanges(principal) + encodeNumber(stored.seq)))
    return readers
  }

  /** Adds what takes reading. @returns {void | Promise<void>} */
  finish () {
    if (this.#turnovers.length > 0 || this.#erased.length > 0) return this.#finish()
  }

  async #finish () {
    for (const id of this.#erased) await this.#forget(id)
    for (const turnover of this.#turnovers) await this.#turnOver(turnover)
  }

  /** @param {string} id */
  async #forget (id) {
    const { keyspace, layout } = this.#core
    const text = await keyspace.get(layout.former(id))
    if (text === undefined) return
    for (const [principal, seq] of Object.entries(JSON.parse(text))) this.#operations.push(del(layout.seenChanges(principal) + encodeNumber(seq)))
    this.#operations.push(del(layout.former(id)))
  }

  /** @param {Turnover} turnover */
  async #turnOver ({ state, seq, before, after }) {
    const { keyspace, layout } = this.#core
    const text = await keyspace.get(layout.former(state.id))
    const former = new Map(Object.entries(text === undefined ? {} : JSON.parse(text)))
    const count = former.size
    for (const principal of after) if (!before.includes(principal)) await this.#begin(principal, state.id, seq, former)
    const lost = before.filter(principal => !after.includes(principal))
    for (const principal of lost) await this.#end(principal, /** @type {Stored} */ (state), seq)
    for (const principal of lost) former.set(principal, seq)
    if (former.size > 0) this.#operations.push(put(layout.former(state.id), JSON.stringify(Object.fromEntries(former))))
    else if (count > 0) this.#operations.push(del(layout.former(state.id)))
  }

  /**
   * A principal sees a document from now on.
   *
   * @param {string} principal
   * @param {string} id
   * @param {number} seq
   * @param {Map<string, number>} former
   */
  async #begin (principal, id, seq, former) {
    const { keyspace, layout } = this.#core
    const ended = former.get(principal)
    let times = ''
    if (ended !== undefined) {
      const key = layout.seenChanges(principal) + encodeNumber(ended)
      times = `${decodeGone(/** @type {string} */ (await keyspace.get(key))).times.join(',')},`
      this.#operations.push(del(key))
      former.delete(principal)
    }
    this.#operations.push(put(layout.seenIds(principal) + id, `${times}${seq}`))
  }

  /** @param {string} principal @param {Stored} state @param {number} seq */
  async #end (principal, state, seq) {
    const { keyspace, layout } = this.#core
    const key = layout.seenIds(principal) + state.id
    const times = await keyspace.get(key)
    const leaves = await this.#leavesFor(principal, state)
    this.#operations.push(del(key), put(layout.seenChanges(principal) + encodeNumber(seq), `g${times},${seq} ${leaves.map(encodeRevision).join(',')} ${state.id}`))
  }

  /**
   * The live leaves that a principal saw; where there are none, the winner.
   *
   * @param {string} principal
   * @param {Stored} state
   */
  async #leavesFor (principal, { id, stored, storedWinner }) {
    if (isLinear(stored.rest)) return [storedWinner]
    const { keyspace, layout } = this.#core
    const others = leavesOf(stored.revisions).filter(leaf => leaf.rev !== storedWinner && !leaf.deleted)
    const payloads = await keyspace.getMany(others.map(({ rev }) => layout.revision(id, encodeRevision(rev))))
    const seen = others.filter((_, i) => payloads[i] !== undefined && readersOf(id, accessOf(/** @type {string} */ (payloads[i]))).includes(principal))
    return [storedWinner, ...seen.map(({ rev }) => rev)]
  }
}

/**
 * Takes the row of a document that is no longer seen apart.
 *
 * @param {string} text
 * @returns {{ times: number[], leaves: string[], id: string }} the leaves encoded
 */
function decodeGone (text) {
  const first = text.indexOf(' ')
  const second = text.indexOf(' ', first + 1)
  return { times: decodeTimes(text.slice(1, first)), leaves: text.slice(first + 1, second).split(','), id: text.slice(second + 1) }
}

/** @param {string} text */
function decodeTimes (text) { return text.split(',').map(Number) }

/** Whether a document was seen at a sequence. @param {number[]} times @param {number} seq */
function wasSeen (times, seq) { return times.filter(time => time <= seq).length % 2 === 1 }

/** @param {string} text */
function isGone (text) { return text.charCodeAt(0) === 103 }

module.exports = { AccessRows, decodeGone, decodeTimes, isGone, wasSeen }
