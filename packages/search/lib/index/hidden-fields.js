'use strict'

const { keyPart } = require('./layout')

/*
 * Fields that no function can name: of a facet's values as they are, of types, and of partitions.
 */

/** @param {string} name of a field with a facet */
function facetField (name) { return `\x01${name}` }

/** Has which type each field of a document is, in the dialect whose fields have types. */
const TYPES = '\x02'

/** @param {string} type @param {string} name of a field */
function typeTerm (type, name) { return `${type} ${name}` }

/** The field of identifiers, which has no terms of its own: see layout.js. */
const ID = '_id'
const PARTITION = '_partition'

/**
 * Adds the partition of a document as a term.
 *
 * @param {import('./document-builder').BuiltDocument} built
 * @param {string | undefined} partition undefined: it is in none
 */
function identify (built, partition) {
  if (partition !== undefined) built.whole.push([PARTITION, keyPart(partition)])
  return built
}

module.exports = { ID, PARTITION, TYPES, facetField, identify, typeTerm }
