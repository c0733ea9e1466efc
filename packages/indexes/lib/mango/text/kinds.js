'use strict'

const { buildStandard, numberReader, parseQuery, readStandard } = require('@potoroo/search')
const { DEFAULT } = require('./fields')

/**
 * The two kinds of text indexes of Mango: `text` is CouchDB's with Clouseau, and `nouveau` with Nouveau. They differ in the member of a design
 * document that has them, the types of fields, the syntax of `$text`, the standard analyzer, and the order of hits that are alike.
 *
 * @typedef {'text' | 'nouveau'} TextType
 * @typedef {import('@potoroo/search').Analyzer} Analyzer
 * @typedef {import('@potoroo/search').Sort} Sort
 *
 * @typedef {object} TextKind
 * @property {TextType} type
 * @property {string} member of design documents
 * @property {import('../../searches/dialects').Dialect} dialect
 * @property {'clouseau' | 'nouveau'} analyzers
 * @property {string[]} fieldTypes
 * @property {string} typesText the same in an error
 * @property {(query: string, analyze: Analyzer) => any} parse a query in `$text`
 * @property {Sort[]} alike order of hits that are alike
 */

/** Fields whose names end so have numbers. */
const NUMERIC = /:(?:number|length)$/

/** @type {Record<TextType, TextKind>} */
const kinds = {
  text: {
    type: 'text',
    member: 'indexes',
    dialect: 'search',
    analyzers: 'clouseau',
    fieldTypes: ['string', 'number', 'boolean'],
    typesText: 'boolean,number, or string',
    parse: (query, analyze) => parseQuery(query, { defaultField: DEFAULT, analyze }),
    alike: []
  },
  nouveau: {
    type: 'nouveau',
    member: 'nouveau',
    dialect: 'nouveau',
    analyzers: 'nouveau',
    fieldTypes: ['string', 'number', 'boolean', 'text'],
    typesText: 'boolean,number,string or text',
    parse (query, analyze) {
      const { syntax } = readStandard(query, DEFAULT)
      return buildStandard(query, syntax, { analyze, numbersOf: field => NUMERIC.test(field) ? numberReader() : undefined })
    },
    alike: [{ by: 'id', descending: false }]
  }
}

module.exports = { kinds }
