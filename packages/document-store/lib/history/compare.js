'use strict'

/**
 * Makes a JSON Patch while it compares. Elements of lists are compared place by place, as any better alignment takes the
 * square of their lengths, which a client chooses. So is the length of paths, which is why there is a limit.
 *
 * @see https://www.rfc-editor.org/rfc/rfc6902
 */
class Comparison {
  #most
  #text = ''

  /** @param {number} most UTF-16 units */
  constructor (most) { this.#most = most }

  get text () { return `[${this.#text}]` }

  /** @param {any} older @param {any} newer both lists, or both objects @param {string} path */
  members (older, newer, path) {
    // From the end, so that those who remove elements of a list do not move others that are still to be changed.
    for (const key of Object.keys(older).reverse()) {
      const place = `${path}/${escape(key)}`
      if (Object.hasOwn(newer, key)) this.#member(older[key], newer[key], place)
      else this.#add('remove', place)
    }
    for (const key of Object.keys(newer)) {
      if (!Object.hasOwn(older, key)) this.#add('add', `${path}/${escape(key)}`, newer[key])
    }
  }

  /** @param {any} older @param {any} newer @param {string} path */
  #member (older, newer, path) {
    if (older === newer) return
    if (isContainer(older) && isContainer(newer) && Array.isArray(older) === Array.isArray(newer)) this.members(older, newer, path)
    else this.#add('replace', path, newer)
  }

  /** @param {string} op @param {string} path @param {any} [value] */
  #add (op, path, value) {
    const rest = value === undefined ? '' : `,"value":${JSON.stringify(value)}`
    this.#text += `${this.#text === '' ? '' : ','}{"op":"${op}","path":${JSON.stringify(path)}${rest}}`
    if (this.#text.length > this.#most) throw new RangeError('The patch is too long')
  }
}

/** @param {any} value */
function isContainer (value) { return typeof value === 'object' && value !== null }

/** @param {string} key */
function escape (key) { return key.replaceAll('~', '~0').replaceAll('/', '~1') }

/**
 * Returns the JSON Patch that makes one object of another.
 *
 * @param {any} older
 * @param {any} newer
 * @param {number} most UTF-16 units that it may have
 * @returns {string} JSON text; throws a RangeError if it has more, or something is nested too deeply
 */
function compare (older, newer, most) {
  const comparison = new Comparison(most)
  comparison.members(older, newer, '')
  return comparison.text
}

module.exports = { compare }
