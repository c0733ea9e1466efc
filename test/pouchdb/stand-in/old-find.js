'use strict'

/** Gives `find` the warning of 0.10.5: the same in other words. @param {any} PouchDB */
function oldFind (PouchDB) {
  return function PouchFind (...args) {
    const db = new PouchDB(...args)
    const { find } = db
    db.find = (request, callback) => {
      const found = find.call(db, request).then(reword)
      if (callback === undefined) return found
      found.then((result) => callback(null, result), callback)
    }
    return db
  }
}

function reword (result) {
  if (result.warning === 'No matching index found, create an index to optimize query time.') {
    result.warning = 'no matching index found, create an index to optimize query time'
  }
  return result
}

module.exports = { oldFind }
