'use strict'

/** Rows as they are. @returns {import('./row-gatherer').RowEncoder} */
function makeEncoder () {
  const documents = []
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
