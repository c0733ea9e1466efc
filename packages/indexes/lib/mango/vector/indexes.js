'use strict'

const { Catalogue } = require('../../index/catalogue')
const { isObject } = require('../selector/normalize-selector')
const { parsePath } = require('../selector/path')
const { checkSpec, vectorDefinition } = require('./definition')
const { VectorMemory } = require('./memory')

/**
 * @typedef {import('@potoroo/document-store').DocumentStore} DocumentStore
 * @typedef {import('./definition').VectorSpec} VectorSpec
 *
 * A vector index as a find sees it.
 * @typedef {import('../indexes/index-descriptor').IndexDescriptor & { signature: string, vector: VectorParts }} VectorIndexDescriptor
 * @typedef {{ spec: VectorSpec, path: string[], index: import('../../index/view-index').ViewIndex, memory: VectorMemory }} VectorParts
 */

/** Memories by index: several descriptions of one share it. @type {WeakMap<object, VectorMemory>} */
const memories = new WeakMap()

/**
 * The vector indexes of a design document.
 *
 * @param {DocumentStore} database
 * @param {any} ddoc
 * @returns {Promise<VectorIndexDescriptor[]>}
 */
async function vectorIndexesOf (database, ddoc) {
  if (ddoc.language !== 'query' || !isObject(ddoc.vectors)) return []
  const catalogue = await Catalogue.of(database)
  return Object.keys(ddoc.vectors).sort().flatMap(name => {
    const spec = readSpec(ddoc.vectors[name])
    return spec === null ? [] : [describe(catalogue, database, ddoc._id, name, spec)]
  })
}

/** One that makes no sense is none, as of other types. @param {any} spec @returns {VectorSpec | null} */
function readSpec (spec) {
  try {
    return checkSpec(spec)
  } catch (error) {
    if (error.status === 400) return null
    throw error
  }
}

/** @param {Catalogue} catalogue @param {DocumentStore} database @param {string} ddoc @param {string} name @param {VectorSpec} spec @returns {VectorIndexDescriptor} */
function describe (catalogue, database, ddoc, name, spec) {
  const definition = vectorDefinition(ddoc, spec)
  const index = catalogue.open(definition)
  let memory = memories.get(index)
  if (memory === undefined) memories.set(index, memory = new VectorMemory(database, index, spec))
  const { field, dimensions, metric } = spec
  return {
    ddoc,
    name,
    type: 'vector',
    def: { fields: [{ [field]: { type: 'vector', dimensions, metric } }] },
    columns: [],
    fields: [],
    partial: null,
    open: () => ({ rows: index.rows, view: 0, update: () => index.update() }),
    signature: definition.signature,
    vector: { spec, path: parsePath(field), index, memory }
  }
}

module.exports = { vectorIndexesOf }
