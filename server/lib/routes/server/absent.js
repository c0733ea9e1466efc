'use strict'

const { createError } = require('@potoroo/errors')

/** Routes of CouchDB's that are known here and not there: path → methods. */
const textSearch = {
  '/:db/_search_cleanup': ['POST'],
  '/:db/_nouveau_cleanup': ['POST'],
  '/:db/:ddoc/_search/:index': ['GET', 'POST'],
  '/:db/:ddoc/_search_info/:index': ['GET'],
  '/:db/:ddoc/_search_disk_size/:index': ['GET'],
  '/:db/:ddoc/_nouveau/:index': ['GET', 'POST'],
  '/:db/:ddoc/_nouveau_info/:index': ['GET'],
  '/:db/_partition/:partition/:ddoc/_search/:index': ['GET', 'POST'],
  '/:db/_partition/:partition/:ddoc/_nouveau/:index': ['GET', 'POST']
}

function refuse () { throw createError('NOT_IMPLEMENTED', { reason: 'Text search is not implemented' }) }

/** @type {import('../../dispatch/route-table').Route[]} */
module.exports = Object.entries(textSearch).flatMap(([path, methods]) => methods.map(method =>
  ({ method, path, who: 'member', allow: methods.join(','), shards: 'any', handler: refuse })))
