'use strict'

/** @typedef {Array<[any, any]>} Rows of one function for one document */

/** Gives rows as they are. @returns {import('./row-gatherer').RowEncoder} */
function makeEncoder () {
  /** @type {Rows[][]} */
  const documents = []
  /** @type {Rows[]} */
  let views = []
  let emits = 0

  return {
    add (more) { views = more.map((rows, i) => rows === null ? [] : [...views[i] ?? [], ...rows]) },
    end () {
      documents.push(views)
      for (const rows of views) emits += rows.length
      views = []
    },
    rest () { return { documents: documents.length, emits, rows: documents } }
  }
}

module.exports = { makeEncoder }
