'use strict'

const { createError } = require('@potoroo/errors')

/** CouchDB's answer if the service that does its text search is not there. */
function noSearch () { throw createError('NO_TEXT_SEARCH') }

/** `/_nouveau_analyze` without Nouveau */
function noNouveau () { throw createError('MISSING') }

/** @type {import('../../dispatch/route-table').Route[]} */
module.exports = [
  { method: 'GET', path: '/_search_analyze', who: 'admin', allow: 'GET,POST', handler: noSearch },
  { method: 'POST', path: '/_search_analyze', who: 'admin', handler: noSearch },
  { method: 'POST', path: '/_nouveau_analyze', who: 'admin', handler: noNouveau }
]
