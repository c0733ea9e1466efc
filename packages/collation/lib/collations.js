'use strict'

const { collate } = require('pouchdb-collate')
const codePointStrings = require('./code-point-strings')
const codeUnitStrings = require('./code-unit-strings')
const { icu, tellOfMissing } = require('./icu')
const { JsonOrder } = require('./json-order')
const { KeyEncoding, isDate } = require('./key-encoding')

/**
 * The order of an index's rows. It is a property of the index.
 *
 * @typedef {object} Collation
 * @property {string} name another one where encodings differ
 * @property {(key: any) => string} encode text whose UTF-8 is ordered as the keys are; no key's begins
 *   with another's
 * @property {(key: any) => boolean} decodes whether the key can be had back from its encoding
 * @property {(text: string, at?: number) => { value: any, end: number }} decode the key that `text`
 *   has at a place, where `decodes` says so, and where it ends
 * @property {(text: string, at: number) => number} end where the key ends that `text` has at a place
 * @property {(a: any, b: any) => number} compare the order of keys: negative, 0 or positive
 * @property {(a: any, b: any) => number} compareValues the order of what one document emits more than
 *   once under one key
 */

/** The letters of types, and their ranks: null, false, true, numbers, strings, arrays, objects. */
const VIEW_TAGS = { null: 'b', false: 'c', true: 'd', string: 'g', array: 'h', object: 'i' }
const VIEW_RANKS = { null: 0, false: 1, true: 2, number: 3, string: 4, array: 5, object: 6 }

/** Tags in the order of Erlang's terms: numbers, atoms by their letters, objects, which are tuples, lists, binaries. */
const TERM_TAGS = { false: 'g', null: 'h', true: 'i', object: 'j', array: 'k', string: 'l' }
const TERM_RANKS = { number: 0, false: 1, null: 2, true: 3, object: 4, array: 5, string: 6 }

const terms = new JsonOrder(TERM_RANKS, compareBytes)

/** By code point: as UTF-8's bytes are ordered. @param {string} a @param {string} b */
function compareBytes (a, b) { return Buffer.compare(Buffer.from(a), Buffer.from(b)) }

/** @param {string} a @param {string} b */
function compareUnits (a, b) { return a < b ? -1 : 1 }

/**
 * PouchDB's: strings by code unit, as pouchdb-collate.
 * @type {Collation}
 */
const pouchCollation = {
  ...encodingOf(new KeyEncoding(VIEW_TAGS, codeUnitStrings)),
  name: 'pouchdb',
  decodes: () => true,
  compare: collate,
  compareValues: collate
}

/**
 * CouchDB's: strings by ICU's root collator, values under one key in Erlang's order.
 * @type {Collation}
 * @see https://docs.couchdb.org/en/stable/ddocs/views/collation.html
 */
const couchCollation = icu === null ? withoutIcu() : withIcu(icu)

/**
 * CouchDB's "raw": keys in Erlang's order of terms, strings byte by byte.
 * @type {Collation}
 * @see https://docs.couchdb.org/en/stable/ddocs/views/collation.html#raw-collation
 */
const rawCollation = {
  ...encodingOf(new KeyEncoding(TERM_TAGS, codePointStrings)),
  name: 'raw',
  decodes: (/** @type {any} */ key) => everyString(key, text => text.isWellFormed()),
  compare: (a, b) => terms.compare(a, b),
  compareValues: (a, b) => terms.compare(a, b)
}

/** @param {KeyEncoding} encoding */
function encodingOf (encoding) {
  return {
    /** @param {any} key */
    encode: key => encoding.encode(key),
    /** @param {string} text @param {number} [at] */
    decode: (text, at) => encoding.decode(text, at),
    /** @param {string} text @param {number} at */
    end: (text, at) => encoding.end(text, at)
  }
}

/** @param {import('./icu').Icu} icu @returns {Collation} */
function withIcu ({ libraryVersion, compare, sortKey }) {
  return couchLike(`couchdb-icu-${libraryVersion}`, compare, {
    encode: sortKey,
    decode: () => { throw new TypeError('A sort key cannot be decoded') }
  })
}

/** @returns {Collation} */
function withoutIcu () {
  return couchLike('couchdb-code-units', compareUnits, {
    ...codeUnitStrings,
    /** @param {string} text */
    encode: text => {
      // The place of strings among other types is the same in every order.
      if (text !== '') tellOfMissing()
      return codeUnitStrings.encode(text)
    }
  })
}

/**
 * @param {string} name
 * @param {(a: string, b: string) => number} compareStrings
 * @param {import('./key-encoding').Strings} strings
 * @returns {Collation}
 */
function couchLike (name, compareStrings, strings) {
  const order = new JsonOrder(VIEW_RANKS, compareStrings)
  return {
    ...encodingOf(new KeyEncoding(VIEW_TAGS, strings)),
    name,
    decodes: (/** @type {any} */ key) => everyString(key, () => false),
    compare: (a, b) => order.compare(a, b),
    compareValues: (a, b) => terms.compare(a, b)
  }
}

/**
 * Whether `test` accepts all strings in a key, names of members among them.
 *
 * @param {any} key
 * @param {(text: string) => boolean} test
 * @returns {boolean}
 */
function everyString (key, test) {
  if (typeof key === 'string') return test(key)
  if (typeof key !== 'object' || key === null) return true
  if (Array.isArray(key)) return key.every(item => everyString(item, test))
  if (isDate(key)) return everyString(key.toJSON(), test)
  return Object.keys(key).every(name => test(name) && everyString(key[name], test))
}

module.exports = { couchCollation, pouchCollation, rawCollation }
