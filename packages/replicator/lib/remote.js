'use strict'

const PouchDB = require('pouchdb-core')
const httpAdapter = require('pouchdb-adapter-http')

// Added to what `new PouchDB` can be told to use, but not to what it tries by itself: the
// application around us may have a PouchDB of its own.
httpAdapter({ adapter: (name, adapter) => PouchDB.adapter(name, adapter, false) })

/**
 * A PouchDB on a database somewhere else.
 *
 * @param {import('./request').Endpoint} endpoint
 * @param {boolean} create make it where it is not there
 */
function openRemote ({ url, headers = {}, auth }, create) {
  const fetch = (address, options = {}) => {
    for (const [name, value] of Object.entries(headers)) options.headers.set(name, value)
    return PouchDB.fetch(address, options)
  }
  return new PouchDB(url, { adapter: url.startsWith('https:') ? 'https' : 'http', skip_setup: !create, auth, fetch })
}

module.exports = { openRemote }
