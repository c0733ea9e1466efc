'use strict'

const crypto = require('node:crypto')
const { couchCollation, rawCollation } = require('@potoroo/collation')
const { partitionOf, principalsOf, toJson } = require('@potoroo/document-store')
const { fieldMapper, functionsOf, libraryOf, originOf } = require('./mapper')
const { makeRow } = require('../rows/row')
const { encodeCount } = require('../rows/row-layout')
const { readRuns, spread } = require('../rows/row-runs')

/**
 * @typedef {import('@potoroo/document-store').DocumentStore} DocumentStore
 * @typedef {import('@potoroo/query-server').QueryServer} QueryServer
 * @typedef {{ documents: number, emits: number, faults?: Array<[number, string]>, numbers: Uint32Array, text: string }} RowPart of row-encoder.js
 * @typedef {import('../index/view-index').Definition} Definition
 * @typedef {import('@potoroo/document-store').Document} Document
 * @typedef {(document: Document) => string[]} PrefixesOf what stands before the keys of a document: for each, all its rows are there
 */

/** The beginning of the signatures of groups: other faces have indexes of their own. */
const PREFIX = 'couch:'

/** Rows of Mango's indexes, whose keys are arrays. */
const QUERY_ROWS = 'query, arrays'

/** Whether a signature is of a group of views. @param {string} signature */
function isGroups (signature) { return signature.startsWith(PREFIX) }

/** @param {any} map */
function isFields (map) { return typeof map?.fields === 'object' && map.fields !== null }

/** @param {any} map */
function isText (map) { return typeof map === 'string' }

/**
 * The views of a design document that can be indexed.
 * @param {any} ddoc
 * @returns {string[]}
 */
function viewNames ({ language, views }) {
  const isMap = language === 'query' ? isFields : isText
  return Object.keys(views ?? {}).filter(name => name !== 'lib' && isMap(views[name]?.map))
}

/**
 * The same for design documents that give the same rows: a name for their index.
 *
 * @param {any} ddoc
 * @param {string[]} names
 */
function signatureOf (ddoc, names) {
  const maps = names.map(name => [ddoc.views[name].map, ddoc.views[name].options])
  const said = JSON.stringify([ddoc.language === 'query' ? QUERY_ROWS : ddoc.language ?? 'javascript', names, maps, libraryOf(ddoc), ddoc.options])
  return PREFIX + crypto.createHash('md5').update(said).digest('hex')
}

/**
 * The views of one design document: they are indexed together, from the changes of the database.
 *
 * @typedef {ReturnType<typeof groupOf>} Group
 *
 * @param {import('../index/catalogue').Catalogue} catalogue
 * @param {import('@potoroo/document-store').DocumentStore} database
 * @param {any} ddoc
 * @param {QueryServer} [queryServer] the language `query` goes without: nobody is told of documents that have no rows then
 */
function groupOf (catalogue, database, ddoc, queryServer) {
  const described = describeGroup(database, ddoc)
  const { names, signature, collations, partitioned, byPrincipal } = described
  const prefixesOf = byPrincipal ? readersOf : (/** @type {Document} */ document) => [prefixOf(partitioned, document)]
  const index = catalogue.open({
    signature,
    collations,
    // Others may see those, and sequences count what others write.
    reads: byPrincipal ? {} : { conflicts: true, deletedConflicts: true, localSeq: ddoc.options?.local_seq === true },
    includesDesign: ddoc.options?.include_design === true,
    design: ddoc._id,
    ...(ddoc.language === 'query'
      ? { map: toRows(fieldMapper(names.map(name => ddoc.views[name])), collations, prefixesOf, message => queryServer?.warn(originOf(database, ddoc), message)) }
      : { mapInParts: toRuns(functionsOf(database, ddoc, names), collations, prefixesOf, /** @type {QueryServer} */ (queryServer)) })
  })
  return { ...described, database, index, rows: index.rows, signature: signature.slice(PREFIX.length) }
}

/**
 * Reads what a design document says of its views, whether or not there is an index of them.
 *
 * @typedef {ReturnType<typeof describeGroup>} DescribedGroup
 *
 * @param {Pick<DocumentStore, 'partitioned' | 'byDocument'>} database
 * @param {any} ddoc
 */
function describeGroup (database, ddoc) {
  const names = viewNames(ddoc)
  return {
    names,
    signature: signatureOf(ddoc, names),
    collations: names.map(name => collationOf(ddoc.views[name])),
    partitioned: isPartitioned(database, ddoc),
    byPrincipal: isByPrincipal(database, ddoc),
    language: /** @type {string} */ (ddoc.language ?? 'javascript')
  }
}

/**
 * Whether views are asked for one partition at a time: in a partitioned database, unless they say otherwise.
 *
 * @param {Pick<DocumentStore, 'partitioned' | 'byDocument'>} database
 * @param {any} ddoc
 * @see https://docs.couchdb.org/en/stable/partitioned-dbs/index.html
 */
function isPartitioned (database, ddoc) { return database.partitioned && ddoc.options?.partitioned !== false && !isByPrincipal(database, ddoc) }

/** Whether the principals who may see a document stand before its keys. @param {Pick<DocumentStore, 'byDocument'>} database @param {any} ddoc */
function isByPrincipal ({ byDocument }, { options }) { return byDocument && options?.access === true }

/** In an index with rows by principal: those of all documents, for administrators. */
const EVERY = 'a:'

/** @param {Document} document @returns {string[]} prefixes of its rows */
function readersOf (document) { return [EVERY, ...principalsOf(document).map(principal => `${principal}:`)] }

/**
 * Only views have options that say so, and no design document.
 *
 * @param {any} view
 * @see https://docs.couchdb.org/en/stable/ddocs/views/collation.html#raw-collation
 */
function collationOf ({ options }) { return options?.collation === 'raw' ? rawCollation : couchCollation }

/**
 * The prefix of the keys of a document's rows. Design documents, where views have rows of them, are in the partition of no document.
 *
 * @param {boolean} partitioned
 * @param {{ id: string }} document
 */
function prefixOf (partitioned, { id }) { return partitioned ? `${partitionOf(id) ?? ''}:` : '' }

/**
 * @param {import('./mapper').Mapper} mapper
 * @param {import('@potoroo/collation').Collation[]} collations
 * @param {PrefixesOf} prefixesOf
 * @param {(message: string) => void} warn
 * @returns {NonNullable<Definition['map']>}
 */
function toRows (mapper, collations, prefixesOf, warn) {
  return async documents => (await mapper(documents)).map((views, i) => {
    /** @type {import('../rows/row').Row[]} */
    const rows = []
    const prefixes = prefixesOf(documents[i])
    for (let view = 0; view < views.length; view++) {
      const before = rows.length
      try {
        for (const prefix of prefixes) addRows(rows, views[view], collations[view], view, prefix)
      } catch (error) {
        // Nested too deeply: a fault of this document, as if the function had thrown.
        if (!(error instanceof RangeError)) throw error
        warn(`${error.message}, with document ${documents[i].id}`)
        rows.length = before
      }
    }
    return rows
  })
}

/**
 * @param {import('../rows/row').Row[]} rows
 * @param {Array<[any, any]>} emitted
 * @param {import('@potoroo/collation').Collation} collation
 * @param {number} view
 * @param {string} prefix
 */
function addRows (rows, emitted, collation, view, prefix) {
  for (const [key, value] of emitted) rows.push(makeRow(collation, view, key, value, prefix))
}

/** A document without rows. */
const NO_ROWS = { rows: [], starts: true, ends: true }

/**
 * Functions in the sandbox, whose rows are encoded there, too.
 *
 * @param {ReturnType<typeof functionsOf>} functions
 * @param {import('@potoroo/collation').Collation[]} collations
 * @param {PrefixesOf} prefixesOf
 * @param {QueryServer} queryServer
 * @returns {NonNullable<Definition['mapInParts']>}
 */
function toRuns (functions, collations, prefixesOf, queryServer) {
  const encoder = { module: require.resolve('../rows/row-encoder'), options: { names: collations.map(({ name }) => name), places: collations.map((_, view) => encodeCount(view)) } }
  return async (documents, put, { background }) => {
    let next = 0
    const take = (/** @type {RowPart | null} */ part) => {
      const first = next
      next += part?.documents ?? 1
      for (const [at, message] of part?.faults ?? []) queryServer.warn(functions.origin, `${message}, with document ${documents[first + at].id}`)
      return put(part === null ? [NO_ROWS] : runsIn(part, at => prefixesOf(documents[first + at])))
    }
    await queryServer.mapInParts(functions, documents.map(document => toJson(document)), { encoder, take, background })
  }
}

/**
 * @param {RowPart} part
 * @param {(document: number) => string[]} prefixesOf a document, by its place in the part
 */
function runsIn (part, prefixesOf) {
  /** @type {string[][]} */
  const several = []
  const runs = readRuns(part, at => {
    const prefixes = several[at] ??= prefixesOf(at)
    return prefixes.length === 1 ? prefixes[0] : ''
  })
  let at = 0
  return runs.flatMap(run => {
    const prefixes = several[at]
    if (run.ends) at++
    return prefixes.length === 1 ? [run] : spread(run, prefixes)
  })
}

module.exports = { EVERY, collationOf, describeGroup, groupOf, isGroups, signatureOf, viewNames }
