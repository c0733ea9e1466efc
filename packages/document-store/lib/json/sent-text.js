'use strict'

const { CouchError } = require('@potoroo/errors')
const { carryText } = require('./carried-text')
const { DEEPEST, stringifyAnyDepth, tooDeep } = require('./deep-json')
const { isObject } = require('./is-object')
const { endOfLiteral, endOfSame, endOfString, endOfValue, pastBlank } = require('./json-text')
const { countLeading, countTrailing, isBodyMember, withoutOuter } = require('./members')
const { carryAttachmentNames, membersIn } = require('./sent-names')

/**
 * Documents are stored as they were sent, less white space: JavaScript's objects put names that look
 * like numbers first, and do not tell `1.0` from `1`. So documents that are parsed carry their text
 * along. Characters are escaped as `JSON.stringify` does it, and of members with one name the last
 * one counts, as in CouchDB.
 */

const [QUOTE, COMMA] = [34, 44]
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [91, 93, 123, 125]

/**
 * Has documents carry what was sent: see `carryText`.
 *
 * @param {any} value that the text stands for
 * @param {string} text JSON
 * @param {number} documents containers around those that are documents: none around one by itself, one where they are
 *   a list, two where they are `docs` or `writes` of an object
 * @throws bad_request where they are nested too deeply
 */
function carrySent (value, text, documents) {
  const start = pastBlank(text, 0)
  if (documents === 0) carryDocument(value, text, start)
  else if (documents === 1) carryList(value, text, start)
  else if (isObject(value)) {
    for (const name of LISTS) if (Array.isArray(value[name])) carryList(value[name], text, startOfList(text, start, name))
  }
}

/** Names of lists of documents in requests. */
const LISTS = ['docs', 'writes']

/**
 * Has documents anywhere in a value carry what was sent. One that is nested too deeply does not: it is refused when
 * it is written, and the others are not.
 *
 * @param {any} value that the text stands for
 * @param {string} text JSON
 * @param {string[]} path to them, name by name; `*` for all items of a list
 */
function carrySentAt (value, text, path, start = pastBlank(text, 0)) {
  const [name, ...rest] = path
  if (name === undefined) carryUnlessTooDeep(value, text, start)
  else if (name === '*') {
    if (!Array.isArray(value)) return
    let at = pastBlank(text, start + 1)
    for (const item of value) {
      carrySentAt(item, text, rest, at)
      at = pastComma(text, endOfValue(text, at))
    }
  } else if (isObject(value) && Object.hasOwn(value, name)) {
    carrySentAt(value[name], text, rest, /** @type {number} */ (membersIn(text, start).get(name)))
  }
}

/** @param {any} doc @param {string} text @param {number} start */
function carryUnlessTooDeep (doc, text, start) {
  try {
    carryDocument(doc, text, start)
  } catch (error) {
    if (!(error instanceof CouchError)) throw error
  }
}

/**
 * The place where the list begins: of two the last one counts.
 *
 * @param {string} text
 * @param {number} start
 * @param {string} name
 */
function startOfList (text, start, name) {
  let list = -1
  for (let at = pastBlank(text, start + 1); text.charCodeAt(at) === QUOTE;) {
    const end = endOfString(text, at)
    const from = pastBlank(text, pastBlank(text, end) + 1)
    if (JSON.parse(text.slice(at, end)) === name) {
      list = from
      if (!mayComeAgain(text, from, name)) return list
    }
    at = pastComma(text, endOfValue(text, from))
  }
  return list
}

/**
 * To look is much faster than to go past the list: in its letters, or with one of them escaped.
 *
 * @param {string} text
 * @param {number} at
 * @param {string} name
 */
function mayComeAgain (text, at, name) { return text.includes(`${name}"`, at) || text.includes('\\u00', at) }

/** @param {string} text @param {number} at */
function pastComma (text, at) {
  const next = pastBlank(text, at)
  return text.charCodeAt(next) === COMMA ? pastBlank(text, next + 1) : next
}

/** @param {any[]} docs @param {string} text @param {number} start */
function carryList (docs, text, start) {
  let at = pastBlank(text, start + 1)
  for (const doc of docs) at = pastComma(text, carryDocument(doc, text, at))
}

/** @param {any} doc @param {string} text @param {number} start @returns {number} where the document's text ends */
function carryDocument (doc, text, start) {
  if (!isObject(doc)) return endOfValue(text, start)
  const names = Object.keys(doc)
  const leading = countLeading(names)
  const trailing = countTrailing(names, leading)
  const special = names.filter((name) => !isBodyMember(name))
  // A second text of attachments that come along is of no use.
  const plain = doc._attachments === undefined ? stringifyAnyDepth(doc) : null
  const end = plain === null ? -1 : endOfSame(text, start, plain)
  if (end !== -1) {
    // Otherwise the store cuts them out, as of any object.
    if (special.length === leading + trailing) carryText(doc, new SentText(withoutOuter(/** @type {string} */ (plain), doc, names, leading, trailing), special))
    return end
  }
  const sent = new ContainerReader(text, start, isBodyMember).read()
  carryText(doc, new SentText(sent.text, special))
  carryAttachmentNames(doc, text, start)
  return sent.end
}

/**
 * Has a copy of a stored document carry the body that was stored.
 *
 * @param {Record<string, any>} doc
 * @param {string} body
 * @param {string[]} [special] names of other members that it has
 */
function carryBody (doc, body, special = []) { carryText(doc, new SentText(body, special)) }

/**
 * The text that was sent of some members or items.
 *
 * @param {any} value an object or an array of them
 * @param {string} text JSON that it stands for
 * @param {(name: string) => boolean} [isKept] of members
 * @returns {string} of an object or an array
 */
function sentText (value, text, isKept) {
  const plain = isKept === undefined ? stringifyAnyDepth(value) : null
  if (plain !== null && endOfSame(text, 0, plain) !== -1) return plain
  return new ContainerReader(text, 0, isKept ?? (() => true)).read().text
}

/** The text that a document carries: see `CarriedText`. */
class SentText {
  /** @param {string} body @param {string[]} special names */
  constructor (body, special) {
    this.body = body
    this.special = special
    /** @type {object | undefined} */
    this.owner = undefined
  }

  get bytes () { return Buffer.byteLength(this.body) }
}

/**
 * A container as it is put together: members by their names, or items.
 * @typedef {{ members: Map<string, string> | null, items: string, name: string | null }} Open
 */

/** Reads an object or an array that differs from what `JSON.stringify` makes of it. */
class ContainerReader {
  #text
  #at
  #isKept
  /** The containers that lie in each other, the outermost first. @type {Open[]} */
  #open = []

  /** @param {string} text @param {number} start @param {(name: string) => boolean} isKept of its own members */
  constructor (text, start, isKept) {
    this.#text = text
    this.#at = start
    this.#isKept = isKept
  }

  /** @returns {{ text: string, end: number }} */
  read () {
    for (;;) {
      const code = this.#text.charCodeAt(this.#at = pastBlank(this.#text, this.#at))
      if (code === COMMA) this.#at++
      else if (code === OPEN_OBJECT || code === OPEN_ARRAY) this.#enter(code === OPEN_OBJECT)
      else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) {
        const text = this.#leave()
        if (this.#open.length === 0) return { text, end: this.#at }
        this.#add(text)
      } else if (code === QUOTE) this.#string()
      else this.#literal()
    }
  }

  /** @param {number} end */
  #take (end) {
    const text = this.#text.slice(this.#at, end)
    this.#at = end
    return text
  }

  /** @param {boolean} isObject */
  #enter (isObject) {
    if (this.#open.length === DEEPEST) throw tooDeep()
    this.#at++
    this.#open.push({ members: isObject ? new Map() : null, items: '', name: null })
  }

  #leave () {
    this.#at++
    const { members, items } = /** @type {Open} */ (this.#open.pop())
    if (members === null) return `[${items}]`
    let text = ''
    for (const [name, value] of members) text += text === '' ? `${name}:${value}` : `,${name}:${value}`
    return `{${text}}`
  }

  /** There is no negative zero among CouchDB's integers. */
  #literal () {
    const text = this.#take(endOfLiteral(this.#text, this.#at))
    this.#add(text === '-0' ? '0' : text)
  }

  #string () {
    const sent = this.#take(endOfString(this.#text, this.#at))
    const text = sent.includes('\\') ? JSON.stringify(JSON.parse(sent)) : sent
    const { members, name } = this.#open[this.#open.length - 1]
    if (members === null || name !== null) this.#add(text)
    else this.#begin(text)
  }

  /**
   * Begins a member.
   *
   * @param {string} name
   */
  #begin (name) {
    this.#at = pastBlank(this.#text, pastBlank(this.#text, this.#at) + 1)
    if (this.#open.length > 1 || this.#isKept(JSON.parse(name))) this.#open[this.#open.length - 1].name = name
    else this.#at = endOfValue(this.#text, this.#at)
  }

  /** @param {string} text */
  #add (text) {
    const open = this.#open[this.#open.length - 1]
    if (open.members === null) open.items += open.items === '' ? text : `,${text}`
    else {
      const name = /** @type {string} */ (open.name)
      open.members.delete(name)
      open.members.set(name, text)
      open.name = null
    }
  }
}

module.exports = { carryBody, carrySent, carrySentAt, sentText }
