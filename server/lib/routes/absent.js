'use strict'

const { createError } = require('@potoroo/errors')

/** Routes of CouchDB's that are known here and not there: method and path → why. */
const absent = {
  'GET /:db/:ddoc/_search/:index': 'Text search is not implemented',
  'GET /:db/:ddoc/_nouveau/:index': 'Text search is not implemented'
}

module.exports = Object.entries(absent).map(([key, reason]) => {
  const [method, path] = key.split(' ')
  return { method, path, who: path.startsWith('/:db') ? 'member' : 'admin', handler () { throw createError('NOT_IMPLEMENTED', { reason }) } }
})
