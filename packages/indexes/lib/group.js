'use strict'

const crypto = require('node:crypto')
const { couchCollation } = require('@potoroo/collation')
const { mapperFor, libraryOf } = require('./mapper')
const { makeRow } = require('./rows/row')

/** What the signatures of groups begin with: other faces have indexes of their own. */
const PREFIX = 'couch:'

/** Whether a signature is of a group of views. */
function isGroups (signature) { return signature.startsWith(PREFIX) }

/**
 * The views of a design document that can be indexed.
 * @param {any} ddoc
 * @returns {string[]}
 */
function viewNames ({ language, views }) {
  const isMap = language === 'query' ? map => typeof map?.fields === 'object' : map => typeof map === 'string'
  return Object.keys(views ?? {}).filter(name => name !== 'lib' && isMap(views[name]?.map))
}

/** The same for design documents that give the same rows: a name for their index. */
function signatureOf (ddoc, names) {
  const said = JSON.stringify([ddoc.language ?? 'javascript', names, names.map(name => ddoc.views[name].map), libraryOf(ddoc), ddoc.options])
  return PREFIX + crypto.createHash('md5').update(said).digest('hex')
}

/**
 * The views of one design document: they are indexed together, from the changes of the database.
 *
 * @param {import('./rows/catalogue').Catalogue} catalogue
 * @param {import('@potoroo/document-store').DocumentStore} database
 * @param {any} ddoc
 * @param {import('@potoroo/query-server').QueryServer} queryServer
 */
function groupOf (catalogue, database, ddoc, queryServer) {
  const names = viewNames(ddoc)
  const signature = signatureOf(ddoc, names)
  const index = catalogue.open({
    signature,
    views: names.length,
    collation: couchCollation,
    reads: { conflicts: true, deletedConflicts: true },
    includesDesign: ddoc.options?.include_design === true,
    map: toRows(mapperFor(ddoc, names, queryServer))
  })
  return { database, names, index, rows: index.rows, language: ddoc.language ?? 'javascript', signature: signature.slice(PREFIX.length) }
}

/** @param {import('./mapper').Mapper} mapper */
function toRows (mapper) {
  return async documents => (await mapper(documents)).map(views => {
    const rows = []
    for (let view = 0; view < views.length; view++) {
      for (const [key, value] of views[view]) rows.push(makeRow(couchCollation, view, key, value))
    }
    return rows
  })
}

module.exports = { groupOf, isGroups, signatureOf, viewNames }
