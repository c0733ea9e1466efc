'use strict'

const { collate } = require('pouchdb-collate')
const { compareTerms } = require('./erlang-order')
const { decodeKey, encodeKey } = require('./key-encoding')

/**
 * The order of an index's rows. It is a property of the index.
 *
 * @typedef {object} Collation
 * @property {string} name
 * @property {(key: any) => string} encode text whose UTF-8 is ordered as the keys are; no key's begins
 *   with another's
 * @property {(text: string, at?: number) => { value: any, end: number }} decode the key that `text`
 *   has at a place, and where it ends
 * @property {(a: any, b: any) => number} compare the order of keys: negative, 0 or positive
 * @property {(a: any, b: any) => number} compareValues the order of what one document emits more than
 *   once under one key
 */

/**
 * PouchDB's: strings by code unit, as pouchdb-collate.
 * @type {Collation}
 */
const pouchCollation = { name: 'pouchdb', encode: encodeKey, decode: decodeKey, compare: collate, compareValues: collate }

/**
 * CouchDB's, but for strings, which are by code unit too; values under one key in Erlang's order.
 * @type {Collation}
 */
const couchCollation = { name: 'couchdb', encode: encodeKey, decode: decodeKey, compare: collate, compareValues: compareTerms }

module.exports = { pouchCollation, couchCollation }
