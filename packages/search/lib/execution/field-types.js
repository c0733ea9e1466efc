'use strict'

const { badRequest } = require('@potoroo/errors')
const { TYPES, typeTerm } = require('../index/hidden-fields')

/** @typedef {'string' | 'text' | 'double' | 'stored'} FieldType */

/** @type {FieldType[]} */
const ALL = ['string', 'text', 'double', 'stored']

/**
 * Tells of which type fields are, in an index whose documents say so.
 *
 * @param {import('../index/reader').IndexReader} reader
 * @param {Iterable<string>} fields
 * @returns {Promise<Map<string, FieldType>>} without those that no document has
 * @throws bad_request of a field with two types, in Nouveau's words
 */
async function fieldTypes (reader, fields) {
  /** @type {Map<string, FieldType>} */
  const types = new Map()
  await Promise.all([...new Set(fields)].map(async name => {
    const records = await Promise.all(ALL.map(type => reader.term(TYPES, typeTerm(type, name))))
    const [type, other] = ALL.filter((_, i) => records[i].df > 0)
    if (other !== undefined) throw badRequest(`field ${name} is of type ${type.toUpperCase()} not ${other.toUpperCase()}`)
    if (type !== undefined) types.set(name, type)
  }))
  return types
}

module.exports = { fieldTypes }
