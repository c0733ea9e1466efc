'use strict'

const { stringifyAnyDepth } = require('../deep-json')
const { unmarkText } = require('../exact-json')
const { isBodyMember } = require('../validate')

/**
 * A large container's items as JSON text, part by part: see `Large` in scanner.js. Of a document the
 * special members are left out.
 */
class ContainerText {
  #isArray
  #isDocument
  /** By part, commas belong between pieces. @type {string[][]} */
  #parts = []
  /** @type {Set<string>} */
  #special = new Set()

  /** @param {{ isArray: boolean, isDocument: boolean }} container */
  constructor ({ isArray, isDocument }) {
    this.#isArray = isArray
    this.#isDocument = isDocument
  }

  /**
   * @param {any} items an array or an object, with marks
   * @param {string[]} names of its members
   * @returns {number} characters that came
   */
  addGroup (items, names) {
    const special = this.#isDocument ? names.filter(name => !isBodyMember(name)) : []
    for (const name of special) this.#special.add(name)
    const text = special.length === 0 ? stringifyAnyDepth(items) : textOfOthers(items, names)
    this.#parts.push(text.length === 2 ? [] : [unmarkText(text.slice(1, -1))])
    return text.length
  }

  /** @param {string} name of the member; '' in an array @param {ContainerText | null} inner that is complete; null of what is special */
  addContainer (name, inner) {
    if (inner === null) {
      this.#special.add(name)
      this.#parts.push([])
    } else this.#parts.push(inner.#enclosed(this.#isArray ? '' : `${JSON.stringify(name)}:`))
  }

  /** Another text in the place of a part. @param {number} part @param {any} members an object, with marks */
  replace (part, members) {
    const kept = new ContainerText({ isArray: false, isDocument: this.#isDocument })
    kept.addGroup(members, Object.keys(members))
    this.#parts[part] = kept.#parts[0]
  }

  /** @param {number} part */
  remove (part) { this.#parts[part] = [] }

  #enclosed (head) {
    const [opening, closing] = this.#isArray ? ['[', ']'] : ['{', '}']
    const { pieces } = this
    if (pieces.length === 0) return [head + opening + closing]
    pieces[0] = head + opening + pieces[0]
    pieces[pieces.length - 1] += closing
    return pieces
  }

  get pieces () { return this.#parts.flat() }

  /** The text that a document carries. @returns {import('../carried').CarriedText} */
  get carried () {
    const { pieces } = this
    let bytes = pieces.length + 1
    for (const piece of pieces) bytes += Buffer.byteLength(piece)
    return { pieces, special: [...this.#special], bytes }
  }
}

/** JSON of an object without what is special. */
function textOfOthers (object, names) {
  return stringifyAnyDepth(Object.fromEntries(names.filter(isBodyMember).map(name => [name, object[name]])))
}

module.exports = { ContainerText }
