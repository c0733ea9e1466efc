'use strict'

const { normalizeSelector, printSelector } = require('../selector/normalize-selector')
const { parsePath } = require('../selector/path')

/**
 * @typedef {import('../../index/row-index').RowIndex} RowIndex
 *
 * An index as the planner sees it, and as `GET /{db}/_index` lists it.
 *
 * @typedef {object} IndexDescriptor
 * @property {string | null} ddoc `_design/…`; null where no design document has it
 * @property {string} name
 * @property {string} type `json`, or `special` for all documents
 * @property {any} def `{ fields: [{ field: 'asc' | 'desc' }], partial_filter_selector? }`
 * @property {string[][]} columns the fields' paths
 * @property {string[]} fields the fields as they are written
 * @property {boolean} [partitioned] it is asked for one partition at a time
 * @property {import('../selector/normalize-selector').Node | null} partial the normalised selector of a partial index, or null
 * @property {Record<string, any>} [extra] members that `GET _index` and `_explain` show after `def`
 * @property {() => OpenIndex | Promise<OpenIndex>} open called at each query
 * @property {(principals: string[]) => OpenIndex} [openFor] the same of an index with rows by principal, for some of them
 * @property {import('./stored-indexes').StoredIndex} [stored] where another thread writes it, which is read of a snapshot alone
 *
 * @typedef {object} OpenIndex
 * @property {Pick<RowIndex, 'seq' | 'pages' | 'count'> & Partial<Pick<RowIndex, 'few'>>} rows a row's key is the array of the columns' values;
 *   a document that lacks one of them, or that the partial filter refuses, has no row
 * @property {number} view
 * @property {() => Promise<void> | undefined} update awaited before rows are read; undefined where nothing is to be done
 */

/**
 * @param {object} index
 * @param {string | null} index.ddoc
 * @param {string} index.name
 * @param {Array<[string, string]>} index.fields each with its direction
 * @param {any} [index.partial] a selector; undefined or `{}` for none
 * @param {boolean} [index.partitioned]
 * @param {Record<string, any>} [index.extra]
 * @param {() => OpenIndex | Promise<OpenIndex>} index.open
 * @param {(principals: string[]) => OpenIndex} [index.openFor]
 * @param {IndexDescriptor['stored']} [index.stored]
 * @returns {IndexDescriptor}
 * @throws invalid_field_name, and what is wrong with the partial selector
 */
function describeIndex ({ ddoc, name, fields, partial, partitioned = false, extra, open, openFor, stored }) {
  const node = partial === undefined ? null : normalizeSelector(partial)
  const isPartial = node !== null && node.op !== 'any'
  return {
    ddoc,
    name,
    type: 'json',
    def: {
      fields: fields.map(([field, direction]) => ({ [field]: direction })),
      ...(isPartial && { partial_filter_selector: printSelector(node) })
    },
    fields: fields.map(([field]) => field),
    columns: fields.map(([field]) => parsePath(field)),
    partitioned,
    partial: isPartial ? node : null,
    ...(extra && { extra }),
    open,
    ...(openFor && { openFor }),
    ...(stored && { stored })
  }
}

/** All documents by id. @type {IndexDescriptor} */
const ALL_DOCS = {
  ddoc: null,
  name: '_all_docs',
  type: 'special',
  def: { fields: [{ _id: 'asc' }] },
  fields: ['_id'],
  columns: [['_id']],
  partial: null,
  open () { throw new TypeError('All documents are in no index') }
}

/** As CouchDB lists it. @param {IndexDescriptor} index */
function listIndex ({ ddoc, name, type, partitioned = false, def, extra }) {
  return { ddoc, name, type, ...(type !== 'special' && { partitioned }), def, ...extra }
}

module.exports = { ALL_DOCS, describeIndex, listIndex }
