'use strict'

const { types } = require('node:util')
const { Generated, isGenerated } = require('pmemobj/generated')
const { liesIn, nodeOf, setOwn } = require('./nodes')

/** Kinds whose content is not in their members: JSON would lose it in silence. The second list knows them in other realms, too. */
const MORE_THAN_MEMBERS = [ArrayBuffer, DataView, Error, Map, Promise, RegExp, Set, SharedArrayBuffer, WeakMap, WeakRef, WeakSet, Object.getPrototypeOf(Uint8Array)]
const MORE_IN_ANY_REALM = [types.isAnyArrayBuffer, types.isArrayBufferView, types.isNativeError, types.isMap, types.isPromise, types.isRegExp, types.isSet, types.isWeakMap, types.isWeakSet]

/** Names that the error's path shows, from its end: there may be a hundred thousand. */
const SHOWN = 50

/** Levels that a document may have. */
const DEEPEST = 131_072

/** Elements that one assignment may make of nothing: holes, and what Proxies give. */
const MOST_MADE = 1 << 20

/**
 * The place of a value, for errors.
 *
 * @typedef {{ name: string | number, holder: Place | undefined }} Place
 */

/**
 * An object that is being copied.
 *
 * @typedef {{ source: any, copy: any, names: Iterator<string | number>, isProxy: boolean, place: Place }} Open `isProxy`: an array that is a Proxy of others
 */

/**
 * Gives the JSON of a value that is assigned, as `JSON.stringify` has it: a Date becomes its text, and a member that is undefined
 * none. It refuses what JSON would lose, and instances of classes. A document becomes a reference to it, and an object of the same document stays itself.
 *
 * @param {any} value
 * @param {import('../documents').Documents} documents that it is assigned to
 * @param {string} path for errors
 * @param {import('./node').Node} target the document, or the object in it, that it is assigned to
 * @param {string} [name] of the member that it becomes; none: it is the members of a document, after `jsonOf`
 * @returns {any}
 * @throws TypeError; RangeError for an array of very many holes
 */
function copyIn (value, documents, path, target, name) {
  const copying = new Copying(documents, target)
  const copy = copying.copyOf(name === undefined ? value : jsonOf(value, name), { name: path, holder: undefined })
  copying.finish()
  return copy
}

/** Copies one object after the other, not one within the other: they may lie deeper in each other than the stack is. */
class Copying {
  #documents
  #target
  /** Objects that lie in each other, the outermost first. @type {Open[]} */
  #open = []
  #holders = new Set()
  /** Objects so far. */
  #count = 0
  #generated = new Generated()
  /** Elements so far that were made of nothing. */
  #made = 0

  /** @param {import('../documents').Documents} documents @param {import('./node').Node} target */
  constructor (documents, target) {
    this.#documents = documents
    this.#target = target
  }

  /** @param {any} value of `jsonOf` @param {Place} place @returns {any} an object is filled later */
  copyOf (value, place) {
    switch (typeof value) {
      case 'string': case 'boolean': return value
      case 'number':
        if (!Number.isFinite(value)) throw refusal(place, String(value), 'use null, or a string')
        // JSON has no -0.
        return value + 0
      case 'object':
        return value === null ? null : this.#objectOf(value, place)
      case 'undefined': return undefined
      case 'bigint': throw refusal(place, 'a bigint', 'use a string')
      default: throw refusal(place, `a ${typeof value}`)
    }
  }

  /** @param {any} value @param {Place} place */
  #objectOf (value, place) {
    const node = nodeOf(value)
    if (node !== undefined) return node.isDocument ? referenceTo(node.document, this.#documents, place) : this.#partOf(node, place)
    if (isMoreThanMembers(value)) throw refusal(place, `a ${value.constructor?.name ?? 'value that is more than its members'}`, 'use an object, an array or a string; bytes are attachments')
    if (this.#holders.has(value)) throw refusal(place, 'an object that it lies in itself', 'let one document refer to another')
    if (types.isBoxedPrimitive(value)) return this.copyOf(primitiveIn(value), place)
    if (isInstance(value)) throw refusal(place, `an instance of ${value.constructor?.name ?? 'a class'}`, 'use a plain object, or a document of its own and a reference to it')
    return this.#begin(value, place)
  }

  /** @param {import('./node').Node} node @param {Place} place */
  #partOf (node, place) {
    const { document } = node
    if (document !== this.#target.document) return node.plain()
    if (!this.#target.isDocument && liesIn(this.#target.raw, node.raw)) throw refusal(place, 'an object that it lies in itself', 'use `plain` of it')
    document.documents.running?.move(document)
    return node.raw
  }

  /** @param {any} source @param {Place} place */
  #begin (source, place) {
    if (this.#open.length >= DEEPEST) throw new TypeError(`${pathOf(place)}: a document may have ${DEEPEST} levels`)
    if (Generated.looksAt(++this.#count)) this.#generated.count(source)
    const isArray = Array.isArray(source)
    const copy = isArray ? [] : {}
    this.#open.push({ source, copy, names: isArray ? indices(source.length) : Object.keys(source)[Symbol.iterator](), isProxy: isArray && isGenerated(source), place })
    this.#holders.add(source)
    return copy
  }

  finish () {
    for (let open; (open = this.#open.at(-1)) !== undefined;) {
      const { done, value: name } = open.names.next()
      if (!done) this.#copyMember(open, name)
      else this.#holders.delete(/** @type {Open} */ (this.#open.pop()).source)
    }
  }

  /** @param {Open} open @param {string | number} name */
  #copyMember ({ source, copy, isProxy, place: holder }, name) {
    const value = source[name]
    // That was asked.
    if (name === 'toJSON' && typeof value === 'function') return
    if (typeof name === 'number' && (isProxy || (value === undefined && !(name in source)))) this.#countMade(holder, isProxy)
    const member = this.copyOf(jsonOf(value, String(name)), { name, holder })
    if (typeof name === 'number') copy.push(member ?? null)
    else if (member !== undefined) setOwn(copy, name, member)
  }

  /** @param {Place} place of an array @param {boolean} isProxy */
  #countMade (place, isProxy) {
    if (++this.#made <= MOST_MADE) return
    if (!isProxy) throw new RangeError(`${pathOf(place)}: an array in a document cannot have more than ${MOST_MADE} holes`)
    throw new TypeError(`${pathOf(place)}: more than ${MOST_MADE} elements of Proxies are no value that a document can get at once: if they do not go on without end, assign a plain copy`)
  }
}

/**
 * Gives what stands for a value in JSON: what its `toJSON` says, which is asked once. An object of ours stands for itself, and so does
 * what is refused whatever it says, as a Buffer.
 *
 * @param {any} value
 * @param {string} name of the member that it is; '' of a document
 * @returns {any}
 */
function jsonOf (value, name) {
  if (typeof value !== 'object' || value === null || nodeOf(value) !== undefined || typeof value.toJSON !== 'function') return value
  return isMoreThanMembers(value) ? value : value.toJSON(name)
}

/** Whether its content is not in its members. @param {object} value */
function isMoreThanMembers (value) {
  const prototype = Object.getPrototypeOf(value)
  if (prototype === Object.prototype || prototype === Array.prototype) return false
  return MORE_THAN_MEMBERS.some(each => value instanceof each) || MORE_IN_ANY_REALM.some(isOne => isOne(value))
}

/**
 * Whether it is of a class, which would be lost. One with a `toJSON` has said what stands for it. In any realm a plain object has one
 * prototype behind it, and an array two.
 *
 * @param {any} value
 */
function isInstance (value) {
  let each = Object.getPrototypeOf(value)
  if (each === Object.prototype || each === Array.prototype) return false
  for (let levels = Array.isArray(value) ? 2 : 1; each !== null && levels > 0; levels--) each = Object.getPrototypeOf(each)
  return each !== null && typeof value.toJSON !== 'function'
}

/** As JSON.stringify goes through an array: it asks for the length once. @param {number} length */
function * indices (length) { for (let i = 0; i < length; i++) yield i }

/** The primitive in an object of it, whatever methods that has. @param {any} value */
function primitiveIn (value) {
  if (types.isStringObject(value)) return String(value)
  if (types.isNumberObject(value)) return Number(value)
  if (types.isBooleanObject(value)) return Boolean.prototype.valueOf.call(value)
  return types.isBigIntObject(value) ? BigInt.prototype.valueOf.call(value) : Symbol.prototype.valueOf.call(value)
}

/** @param {import('../document').Document} document @param {import('../documents').Documents} documents @param {Place} place */
function referenceTo (document, documents, place) {
  if (document.documents !== documents) throw refusal(place, 'a document of another database', 'use its id, or `plain` of it')
  return { [documents.reference]: document.id }
}

/** @param {Place} place @param {string} what @param {string} [instead] */
function refusal (place, what, instead) {
  return new TypeError(`${pathOf(place)}: documents are JSON, which has no place for ${what}${instead === undefined ? '' : `: ${instead}`}`)
}

/** @param {Place} place */
function pathOf (place) {
  let path = ''
  let shown = 0
  /** @type {Place | undefined} */
  let each = place
  for (; each?.holder !== undefined && shown < SHOWN; each = each.holder, shown++) path = (typeof each.name === 'number' ? `[${each.name}]` : `.${each.name}`) + path
  const isCut = each?.holder !== undefined
  while (each?.holder !== undefined) each = each.holder
  return `${each?.name}${isCut ? '…' : ''}${path}`
}

module.exports = { MOST_MADE, copyIn, jsonOf }
