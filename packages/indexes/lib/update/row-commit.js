'use strict'

const { tellApart } = require('../rows/row')
const { encodeCount } = require('../rows/row-layout')
const { listed, parseList } = require('../rows/row-list')

/**
 * @typedef {import('../rows/row').Row} Row
 * @typedef {import('../index/row-index').DocumentRows} DocumentRows
 * @typedef {import('@potoroo/collation').Collation['compareValues']} CompareValues
 */

/**
 * The changes of one commit to an index: rows, the lists of them, and what its state counts. Between two
 * commits all of that agrees.
 */
class RowCommit {
  #layout
  #rows
  #lists
  #compareValues
  /** @type {any[]} */
  operations = []
  /** The changes of rows, where there are sums. @type {import('../sums/sum-marks').RowChange[] | null} */
  changes
  /** One that only removes rows leads to more room. */
  addsRows = false

  /**
   * @param {import('../rows/row-layout').RowLayout} layout
   * @param {import('../index/level-index').IndexState} state before it
   * @param {CompareValues | undefined} compareValues undefined: there are no views
   */
  constructor (layout, state, compareValues) {
    this.#layout = layout
    this.#rows = layout.rowsOf(state.index)
    this.#lists = layout.listsOf(state.index)
    this.#compareValues = compareValues
    this.state = { ...state, counts: [...state.counts] }
    this.changes = state.sums === undefined ? null : []
  }

  /**
   * Replaces the rows of a document.
   *
   * @param {DocumentRows} document
   * @param {string | undefined} before its list
   */
  replace ({ id, rows }, before) {
    this.#finish(id)
    const more = isTold(rows) ? undefined : tellApart(/** @type {CompareValues} */ (this.#compareValues), rows)
    const keys = rows.map((row, i) => `${row.row}${id}\0${more?.[i] ?? row.more}`)
    const known = before === undefined ? undefined : this.#removeListed(id, before, new Set(keys))
    if (before !== undefined) this.#countList(id, before, -1)
    if (before !== undefined && rows.length === 0) this.operations.push({ type: 'del', key: this.#lists + id })
    if (rows.length === 0) return
    const idBytes = Buffer.byteLength(id)
    const { list, listBytes } = this.#putRows(idBytes, rows, keys, more, known)
    this.#put(this.#lists + id, list, idBytes + listBytes)
  }

  /**
   * Notes that a document has some of its rows from here on, and not all.
   * @param {string} id
   */
  begin (id) {
    const unfinished = this.state.unfinished ?? []
    if (!unfinished.includes(id)) this.state.unfinished = [...unfinished, id]
  }

  /** @param {string} id */
  #finish (id) {
    if (this.state.unfinished === undefined) return
    const others = this.state.unfinished.filter(each => each !== id)
    this.state.unfinished = others.length === 0 ? undefined : others
  }

  /**
   * Adds a part of a document's rows, which it has not yet.
   * @param {DocumentRows} document
   * @param {number} part
   * @param {boolean} isLast
   */
  add ({ id, rows }, part, isLast) {
    if (isLast) this.#finish(id)
    else this.begin(id)
    const keys = rows.map(({ row, more }) => `${row}${id}\0${more}`)
    this.#setParts(id, part, part + 1)
    const { list, listBytes } = this.#putRows(Buffer.byteLength(id), rows, keys, undefined)
    this.#put(this.#layout.partOf(this.state.index, part, id), list, partBytes(part, id) + listBytes)
  }

  /**
   * Removes a document's last part.
   * @param {string} id
   * @param {number} part
   * @param {string} list
   */
  remove (id, part, list) {
    this.begin(id)
    this.#removeListed(id, list, new Set())
    this.operations.push({ type: 'del', key: this.#layout.partOf(this.state.index, part, id) })
    this.state.active -= partBytes(part, id) + Buffer.byteLength(list)
    this.#setParts(id, part + 1, part)
  }

  /** @param {string} id @param {number} before how many parts there were @param {number} parts how many there are */
  #setParts (id, before, parts) {
    if (before > 0) this.#countList(id, headOf(before), -1)
    if (parts > 0) this.#put(this.#lists + id, headOf(parts), Buffer.byteLength(id) + headOf(parts).length)
    else this.operations.push({ type: 'del', key: this.#lists + id })
  }

  /** @param {string} id @param {string} list @param {1 | -1} sign */
  #countList (id, list, sign) { this.state.active += sign * (Buffer.byteLength(id) + Buffer.byteLength(list)) }

  /** @param {string} key @param {string} list @param {number} bytes of both that count */
  #put (key, list, bytes) {
    this.operations.push({ type: 'put', key, value: list })
    this.state.active += bytes
  }

  /**
   * Bytes of the list come from those of its rows: to count them again takes as long as to make it.
   *
   * @param {number} idBytes
   * @param {Row[]} rows
   * @param {string[]} keys aligned
   * @param {string[] | undefined} more aligned; undefined: the rows have it
   * @param {Set<string>} [before] rows that there were
   * @returns {{ list: string, listBytes: number }} the list of them
   */
  #putRows (idBytes, rows, keys, more, before = undefined) {
    const { state, operations, changes } = this
    this.addsRows ||= rows.length > 0
    let list = ''
    let listBytes = 0
    for (let i = 0; i < rows.length; i++) {
      const { row, value, bytes: known, more: told = '' } = rows[i]
      const distinct = more === undefined ? told : more[i]
      operations.push({ type: 'put', key: this.#rows + keys[i], value })
      changes?.push({ row: keys[i], added: !before?.has(keys[i]), removed: false })
      const valueBytes = value === '' ? 0 : Buffer.byteLength(value)
      const rowBytes = known === undefined ? Buffer.byteLength(row) : known - valueBytes
      const bytes = rowBytes + valueBytes + idBytes + 1 + distinct.length
      const entry = listed(row, bytes, distinct)
      list += entry
      listBytes += rowBytes + entry.length - row.length
      state.counts[viewOf(row)]++
      state.external += bytes
      state.active += bytes
    }
    return { list, listBytes }
  }

  /** @param {string} id @param {string} list @param {Set<string>} kept @returns {Set<string>} the rows that there were */
  #removeListed (id, list, kept) {
    const { state, operations, changes } = this
    const known = new Set()
    for (const { row, bytes, more } of parseList(list)) {
      state.counts[viewOf(row)]--
      state.external -= bytes
      state.active -= bytes
      const key = `${row}${id}\0${more}`
      known.add(key)
      if (kept.has(key)) continue
      operations.push({ type: 'del', key: this.#rows + key })
      changes?.push({ row: key, added: false, removed: true })
    }
    return known
  }
}

/** @param {Row[]} rows */
function isTold (rows) { return rows.length > 0 && rows[0].more !== undefined }

/** A list that stands in parts begins with what no other begins with, and says how many they are. */
const PARTS = '\n'

/** @param {number} parts */
function headOf (parts) { return `${PARTS}${parts}` }

/** @param {string | undefined} list @returns {number} how many parts it stands in; 0: it is all of the list */
function partsOf (list) { return list?.startsWith(PARTS) ? Number(list.slice(1)) : 0 }

/** @param {number} part @param {string} id */
function partBytes (part, id) { return encodeCount(part).length + Buffer.byteLength(id) }

/** @param {string} row */
function viewOf (row) {
  const digits = row.charCodeAt(0) - 96
  return digits === 1 ? row.charCodeAt(1) - 48 : Number(row.slice(1, 1 + digits))
}

module.exports = { RowCommit, partsOf }
