'use strict'

/**
 * A parser that works piece by piece finds this out about an object on its way. With an object of very
 * many members V8 takes long to say it again, and nobody else runs meanwhile.
 */

/** object → names of its members @type {WeakMap<object, string[]>} */
const names = new WeakMap()

/**
 * A document as JSON text, as it was sent: see sent-text.js.
 *
 * @typedef {object} CarriedText
 * @property {string} body members without those that are special
 * @property {string[]} special names of the others: see `isBodyMember`
 * @property {object} [owner]
 * @property {number} bytes of the body; Infinity of one that is too long to be written
 */

/** @typedef {{ [TEXT]?: CarriedText }} Carrier */

/** The member that is a document's text, which is its own alone. A WeakMap of thousands of documents takes long. */
const TEXT = Symbol('text')

/** Has an object carry the names of its members. @param {object} object @param {string[]} own */
function carryNames (object, own) { names.set(object, own) }

/** @param {object} object */
function carriesNames (object) { return names.has(object) }

/**
 * The names of an object of JSON, of which none was added or deleted.
 *
 * @param {object} object
 * @returns {string[]}
 */
function namesOf (object) { return names.get(object) ?? Object.keys(object) }

/**
 * Has a document carry its text. From then on, `setMember` alone may set a member that is not special.
 *
 * @param {Carrier} doc
 * @param {CarriedText} text
 */
function carryText (doc, text) {
  text.owner = doc
  doc[TEXT] = text
}

/** @param {Carrier} doc @returns {CarriedText | undefined} a copy carries none */
function carriedText (doc) {
  const text = doc[TEXT]
  return text?.owner === doc ? text : undefined
}

/**
 * Has a copy with other special members carry what the document did.
 *
 * @param {Carrier} copy made by spreading it
 */
function carryOver (copy) {
  const text = copiedText(copy)
  if (text !== undefined) carryText(copy, { body: text.body, special: text.special, bytes: text.bytes })
}

/**
 * The text of a document that has no other members than that which it was copied from, except for special ones.
 *
 * @param {Carrier} copy
 */
function copiedText (copy) { return copy[TEXT] }

/** @param {Carrier} doc */
function dropCarried (doc) {
  names.delete(doc)
  if (doc[TEXT] !== undefined) doc[TEXT] = undefined
}

module.exports = { carriedText, carryNames, carriesNames, copiedText, carryOver, carryText, dropCarried, namesOf }
