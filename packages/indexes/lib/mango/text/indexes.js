'use strict'

const { Catalogue } = require('../../index/catalogue')
const { isObject, printSelector } = require('../selector/normalize-selector')
const { describeText, parseTextIndex } = require('./definition')
const { kinds } = require('./kinds')

/**
 * @typedef {import('@potoroo/document-store').DocumentStore} DocumentStore
 * @typedef {import('./candidate').TextIndexDescriptor} TextIndexDescriptor
 * @typedef {import('./kinds').TextKind} TextKind
 */

/**
 * The text indexes of a design document of Mango's.
 *
 * @param {DocumentStore} database
 * @param {any} ddoc
 * @returns {Promise<TextIndexDescriptor[]>}
 */
async function mangoTextsOf (database, ddoc) {
  const given = kindsIn(ddoc)
  if (given.length === 0) return []
  const catalogue = await Catalogue.of(database)
  const partitioned = database.partitioned && ddoc.options?.partitioned !== false
  return given.flatMap(kind => Object.keys(ddoc[kind.member]).sort().flatMap(name => {
    const index = readIndex(ddoc[kind.member][name]?.index, kind)
    return index === null ? [] : describe({ catalogue, database, kind }, ddoc._id, name, index, partitioned)
  }))
}

/** The kinds of text indexes of Mango that a design document may have. @param {any} ddoc @returns {TextKind[]} */
function kindsIn (ddoc) { return ddoc.language === 'query' ? Object.values(kinds).filter(({ member }) => isObject(ddoc[member])) : [] }

/** One that makes no sense is none, as in CouchDB. @param {any} index @param {TextKind} kind */
function readIndex (index, { type }) {
  try {
    return parseTextIndex(index, type)
  } catch (error) {
    if (error.status === 400) return null
    throw error
  }
}

/** @param {{ catalogue: Catalogue, database: DocumentStore, kind: TextKind }} place @param {string} ddoc @param {string} name @param {Record<string, any>} index @param {boolean} partitioned @returns {TextIndexDescriptor[]} */
function describe ({ catalogue, database, kind }, ddoc, name, index, partitioned) {
  let described
  try {
    described = describeText(database, ddoc, index, kind.type)
  } catch (error) {
    // An analyzer that there is not.
    if (error.status === 400) return []
    throw error
  }
  const { definition, partial, ...text } = described
  const opened = catalogue.open(definition)
  return [{
    ddoc,
    name,
    type: kind.type,
    def: shown(index, partial),
    columns: [],
    fields: [],
    partitioned,
    partial,
    open: () => /** @type {any} */ ({ rows: opened.rows, view: 0, update: () => opened.update() }),
    signature: definition.signature,
    text: { ...text, kind, index: opened }
  }]
}

/** As `_index` lists it. @param {Record<string, any>} index @param {import('../selector/normalize-selector').Node | null} partial */
function shown ({ partial_filter_selector: filter, selector, fields, ...others }, partial) {
  return {
    ...others,
    ...(partial !== null && { partial_filter_selector: printSelector(partial) }),
    selector,
    fields: fields === 'all_fields' ? [] : fields.map((/** @type {{ name: string, type: string }} */ { name, type }) => ({ [name]: type }))
  }
}

module.exports = { kindsIn, mangoTextsOf }
