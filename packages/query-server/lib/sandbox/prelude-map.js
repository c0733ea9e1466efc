'use strict'

/*
 * The things that map functions find around them, and the way they are called. It runs inside QuickJS, after prelude.js.
 *
 * Rows go to the host in pieces, `__more(piece)`, and the answer is the last of them. A piece is JSON, an array of
 *
 *   [rows, …]      of a document, for each function: `[key, value]` each
 *   0, [rows, …]   the same of a document that goes on with the next ones; null in place of rows says that
 *                  the document has none of that function, nor those that came before
 *
 * A function's rows go over once it has come back, since one that throws emits nothing.
 */
;(function (/** @type {import('./prelude').World} */ global) {
  /** @typedef {[any, any]} Row `[key, value]` */

  const { kinds, raiseFatal, tell, plain, Internal, isOfStack, functionOf, functionsOf, isSealed } = global.__prelude
  const { stringify } = JSON
  const { create, freeze, isFrozen } = Object
  const { ownKeys } = Reflect
  const { ceil, max, min } = Math
  const more = global.__more

  /** Faults of map functions that a program tells of: they are often one for each document. */
  const MOST_FAULTS = 5
  /** UTF-16 units of a piece, except for rows that are longer. */
  const PIECE = 256 * 1024
  /** Rows of a document that become text at once, before it is known how long they are, and at most. */
  const FEW = 8
  const MANY = 256
  /** Rows that a function may emit before it is looked at them. */
  const LOOK = 64

  /** @type {Row[]} */
  let emitted = []
  /** How many rows, and UTF-16 units of what was emitted, one document may have in one view. */
  let mostRows = Infinity
  let mostUnits = Infinity
  /** At how many rows it is looked at them first, and next; how many were, and how much they came to. */
  let firstLook = 0
  let nextLook = 0
  let seen = 0
  let units = 0
  /** Rows of the document, and why functions give it none where they are too many. */
  let count = 0
  /** @type {string[]} */
  let excesses = []
  const faults = create(null)
  let faultsLeft = MOST_FAULTS

  global.emit = function emit (/** @type {any} */ key, /** @type {any} */ value) {
    const at = emitted.length
    if (at === nextLook) look()
    emitted[at] = [key, typeof value === 'object' ? plain(value) : value]
  }

  /** Strings count at once; what is in objects counts when they become text, since they may change. */
  function look () {
    if (nextLook === 0) throw new Error('There are too many rows')
    if (nextLook === firstLook) seen = units = 0
    if (emitted.length >= mostRows) refuse(`more than ${mostRows} rows`)
    for (; seen < emitted.length; seen++) units += lengthOf(emitted[seen][0]) + lengthOf(emitted[seen][1])
    if (units > mostUnits) refuse(`more than ${mostUnits} bytes`)
    nextLook = min(emitted.length + LOOK, mostRows)
  }

  /** @param {unknown} value */
  function lengthOf (value) { return typeof value === 'string' ? value.length : 0 }

  /**
   * Nothing is kept, and nothing more is taken, whatever the function does about the error.
   *
   * @param {string} what
   * @returns {never}
   */
  function refuse (what) {
    const message = `function emits ${what} for one document, which has none in this view`
    excesses[excesses.length] = message
    count += FEW + 1
    emitted = []
    nextLook = 0
    throw new Error(message)
  }

  /** @param {number} rows @param {number} bytes */
  function limit (rows, bytes) {
    mostRows = rows
    mostUnits = bytes
    firstLook = min(LOOK, rows)
  }

  /**
   * CouchDB's functions cannot change a document: the next one, and they themselves, see it as it is.
   *
   * @param {any} value
   */
  function seal (value) {
    if (value === null || typeof value !== 'object' || isFrozen(value)) return
    freeze(value)
    const keys = ownKeys(value)
    for (let i = 0; i < keys.length; i++) seal(value[keys[i]])
  }

  /**
   * The rows of each function for one document; a function that throws emits nothing for it.
   *
   * @param {Function[]} functions
   * @param {any} doc
   */
  function mapOne (functions, doc) {
    const rows = []
    count = 0
    for (let i = 0; i < functions.length; i++) {
      emitted = []
      nextLook = firstLook
      try {
        functions[i](doc)
      } catch (error) {
        if (nextLook > 0) onMapError(error, doc)
        emitted = []
      }
      rows[i] = emitted
      count += emitted.length
    }
    return rows
  }

  /** @param {unknown} error @param {any} doc */
  function onMapError (error, doc) {
    // A stack that ends is a fault of this document; memory that ends is one of the program.
    if (error instanceof Internal && !isOfStack(error)) throw error
    raiseFatal(error)
    fault(`function raised exception ${error}`, doc)
  }

  /** @param {string} message @param {any} doc */
  function fault (message, doc) {
    if (faultsLeft === 0 || message in faults) return
    faults[message] = true
    faultsLeft--
    tell('warning', `${message} with doc._id ${doc._id}`)
  }

  /** Texts that are not over yet, which are put together at once: the engine copies what it appends to. @type {string[]} */
  let pieces = []
  let length = 0

  /** @param {string} json */
  function put (json) {
    pieces[pieces.length] = json
    length += json.length
    if (length >= PIECE) more(take(), false)
  }

  function take () {
    const text = `[${pieces.join()}]`
    pieces = []
    length = 0
    return text
  }

  /**
   * In parts, so that rows and all of their text are not in memory at once.
   *
   * @param {Row[][]} views
   * @param {any} doc
   */
  function putMany (views, doc) {
    for (let i = 0; i < excesses.length; i++) fault(excesses[i], doc)
    excesses = []
    for (let i = 0; i < views.length; i++) putView(views, i, doc)
    put(among(views, -1, ''))
  }

  /** @param {Row[][]} views @param {number} view @param {any} doc */
  function putView (views, view, doc) {
    const rows = views[view]
    let units = 0
    for (let at = 0, size = FEW; at < rows.length; at += size) {
      if (units > 0) size = max(1, min(MANY, ceil(PIECE / 4 / (units / at))))
      const part = stringify(rows.slice(at, at + size))
      units += part.length
      if (units > mostUnits) {
        fault(`function emits more than ${mostUnits} bytes for one document, which has none in this view`, doc)
        return put('0,' + among(views, view, 'null'))
      }
      put('0,' + among(views, view, part))
    }
  }

  /**
   * JSON of rows of one function among those of all.
   *
   * @param {Row[][]} views
   * @param {number} view
   * @param {string} json
   */
  function among (views, view, json) {
    let list = '['
    for (let i = 0; i < views.length; i++) list += (i === 0 ? '' : ',') + (i === view ? json : '[]')
    return list + ']'
  }

  /** @param {any} doc */
  function emits (doc) {
    emitted = []
    functionOf()(doc)
    return emitted.length > 0
  }

  /** @param {{ docs: any[], rows: number, bytes: number }} call */
  kinds.map = function map ({ docs, rows, bytes }) {
    limit(rows, bytes)
    const functions = functionsOf()
    const seals = isSealed()
    take()
    excesses = []
    for (let i = 0; i < docs.length; i++) {
      const doc = docs[i]
      if (seals) seal(doc)
      const views = mapOne(functions, doc)
      const json = count > FEW ? '' : stringify(views)
      if (count > FEW || json.length > mostUnits) putMany(views, doc)
      else {
        pieces[pieces.length] = json
        if ((length += json.length) >= PIECE) more(take(), false)
      }
    }
    return take()
  }

  /**
   * A map function as a filter: what emits, passes.
   *
   * @param {any[]} docs
   */
  kinds.emits = function (docs) {
    limit(Infinity, Infinity)
    nextLook = Infinity
    return stringify(docs.map(emits))
  }
})(/** @type {any} */ (globalThis))
