'use strict'

const { isBodyMember } = require('../json/members')
const { sentText } = require('../json/sent-text')

/**
 * A large container's items as JSON text, part by part: see `Large` in scanner.js. It leaves the
 * special members of a document out.
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
   * @param {any} items an array or an object
   * @param {string[]} names of its members
   * @param {string} sent JSON that it stands for
   * @returns {number} characters that came
   */
  addGroup (items, names, sent) {
    const special = this.#isDocument ? names.filter(name => !isBodyMember(name)) : []
    for (const name of special) this.#special.add(name)
    const text = sentText(items, sent, special.length === 0 ? undefined : isBodyMember)
    this.#parts.push(inner(text))
    return text.length
  }

  /** @param {string} name of the member; '' in an array @param {ContainerText | null} inner that is complete; null of what is special */
  addContainer (name, inner) {
    if (inner === null) {
      this.#special.add(name)
      this.#parts.push([])
    } else this.#parts.push(inner.#enclosed(this.#isArray ? '' : `${JSON.stringify(name)}:`))
  }

  /**
   * Leaves members out of a part.
   *
   * @param {number} part
   * @param {any} members an object of all that came in it
   * @param {string} sent JSON that it stands for
   * @param {(name: string) => boolean} isKept
   */
  keep (part, members, sent, isKept) {
    this.#parts[part] = inner(sentText(members, sent, name => isKept(name) && !(this.#isDocument && !isBodyMember(name))))
  }

  /** @param {number} part */
  remove (part) { this.#parts[part] = [] }

  /** @param {string} head */
  #enclosed (head) {
    const [opening, closing] = this.#isArray ? ['[', ']'] : ['{', '}']
    const { pieces } = this
    if (pieces.length === 0) return [head + opening + closing]
    pieces[0] = head + opening + pieces[0]
    pieces[pieces.length - 1] += closing
    return pieces
  }

  get pieces () { return this.#parts.flat() }

  /** The text that a document carries. @returns {import('../json/carried-text').CarriedText} */
  get carried () {
    const { pieces } = this
    let bytes = Math.max(2, pieces.length + 1)
    for (const piece of pieces) bytes += Buffer.byteLength(piece)
    return { get body () { return `{${pieces.join(',')}}` }, special: [...this.#special], bytes }
  }
}

/**
 * The text between the brackets.
 *
 * @param {string} text
 */
function inner (text) { return text.length === 2 ? [] : [text.slice(1, -1)] }

module.exports = { ContainerText }
