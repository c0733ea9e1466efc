'use strict'

/** Options of the databases of a server that all threads have to know alike. */
const STORE_OPTIONS = Object.freeze({ prefix: 'databases/', deterministicRevs: /** @type {const} */ ('couchdb') })

module.exports = { STORE_OPTIONS }
