'use strict'

/** The body of a bare document, as it stands among others. It is cut out when it is needed. */
class BareText {
  #scanner
  /** Start and end of members that stand together, in turns. */
  #ranges
  /** @type {string | undefined} */
  #body

  /**
   * @param {import('./bare-scanner').BareScanner} scanner
   * @param {number[]} ranges
   * @param {string[]} special names of members that are not of the body
   */
  constructor (scanner, ranges, special) {
    this.#scanner = scanner
    this.#ranges = ranges
    this.special = special
    /** @type {object | undefined} */
    this.owner = undefined
  }

  get body () { return (this.#body ??= this.#cut()) }

  get bytes () {
    const ranges = this.#ranges
    let bytes = 2 + Math.max(0, ranges.length / 2 - 1)
    for (let i = 0; i < ranges.length; i += 2) bytes += ranges[i + 1] - ranges[i]
    return bytes
  }

  /** Writes it as a term, as it stands. @param {import('../commit/external-term').TermWriter} writer */
  writeTo (writer) { writer.members(this.#scanner.bytes, this.#ranges) }

  #cut () {
    const ranges = this.#ranges
    let body = '{'
    for (let i = 0; i < ranges.length; i += 2) body += (i === 0 ? '' : ',') + this.#scanner.text(ranges[i], ranges[i + 1])
    return `${body}}`
  }
}

module.exports = { BareText }
