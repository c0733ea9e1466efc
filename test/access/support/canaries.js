'use strict'

const WORD = /kanary[0-9a-z]{8}/g
/** The same as the beginning of content in base64. */
const IN_BASE64 = /a2FuYXJ5[0-9A-Za-z+/]{11}/g
/** Revisions, and digests in either form. */
const HASH = /\b[0-9a-f]{32}\b|md5-[0-9A-Za-z+/]{22}==/g

/**
 * Texts that are in one document alone, and so give it away in whatever answer they are found: words in its id, its body and
 * its attachments, hashes of its revisions and of its attachments.
 */
class Canaries {
  #random
  /** text → owner @type {Map<string, any>} */
  #owners = new Map()

  /** @param {() => number} random */
  constructor (random) { this.#random = random }

  /** A new word. @param {any} owner what it gives away */
  word (owner) {
    let word = 'kanary'
    while (word.length < 14) word += Math.floor(this.#random() * 36).toString(36)
    this.#owners.set(word, owner)
    return word
  }

  /** Marks a revision (`3-9f…`) or a digest (`md5-…`) as the owner's, who may share it with another. @param {string} hash @param {any} owner */
  mark (hash, owner) {
    const text = hash.replace(/^\d+-/, '')
    const before = this.#owners.get(text)
    if (before === undefined) this.#owners.set(text, owner)
    else before.places.push(...owner.places)
  }

  /**
   * Finds all of them.
   *
   * @param {string} text
   * @returns {Map<string, any>} text → owner
   */
  find (text) {
    const words = [
      ...text.match(WORD) ?? [],
      ...(text.match(IN_BASE64) ?? []).map(part => Buffer.from(part, 'base64').toString('latin1').slice(0, 14)),
      ...text.match(HASH) ?? []
    ]
    const found = new Map()
    for (const word of words) if (this.#owners.has(word)) found.set(word, this.#owners.get(word))
    return found
  }
}

module.exports = { Canaries }
