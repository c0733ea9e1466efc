'use strict'

/** @typedef {Array<[any, any]>} Rows of one function for one document */

/** Gives rows as they are. @returns {import('./row-gatherer').RowEncoder} */
function makeEncoder () {
  /** @type {Rows[][]} */
  const documents = []
  /** @type {Rows[]} */
  let views = []

  return {
    add (more) { views = more.map((rows, i) => rows === null ? [] : [...views[i] ?? [], ...rows]) },
    end () {
      documents.push(views)
      views = []
    },
    rest () { return { documents: documents.length, rows: documents } }
  }
}

module.exports = { makeEncoder }
