'use strict'

/**
 * An ini file as lines, so that comments, order and what we do not know survive a change.
 *
 *   ; comment
 *   [section]
 *   key = value ; comment
 *
 * As in CouchDB a key may hold `=` where ` = ` follows it.
 */
class Ini {
  #lines

  /** @param {string} [text] */
  constructor (text = '') {
    this.#lines = text === '' ? [] : text.replace(/\r\n/g, '\n').replace(/\n$/, '').split('\n')
  }

  /** @returns {Map<string, Map<string, string>>} section → key → value */
  sections () {
    const sections = new Map()
    this.#walk((section, key, value) => {
      if (!sections.has(section)) sections.set(section, new Map())
      sections.get(section).set(key, value)
    })
    return sections
  }

  /**
   * Sets a value in place, before its line's comment, or adds it at the end of its section, or with its section at the end.
   *
   * @param {string} section
   * @param {string} key
   * @param {string} value
   */
  set (section, key, value) {
    const line = `${key} = ${value}`
    let at = -1
    let end = -1
    this.#walk((s, k, _, index) => {
      if (s !== section) return
      end = index
      if (k === key) at = index
    }, (s, index) => { if (s === section) end = index })
    if (at !== -1) this.#lines[at] = line + commentOf(this.#lines[at])
    else if (end !== -1) this.#lines.splice(end + 1, 0, line)
    else this.#lines.push(...(this.#lines.length > 0 ? [''] : []), `[${section}]`, line)
  }

  /** @param {string} section @param {string} key */
  delete (section, key) {
    /** @type {number[]} */
    const found = []
    this.#walk((s, k, _, index) => { if (s === section && k === key) found.push(index) })
    for (const index of found.reverse()) this.#lines.splice(index, 1)
  }

  toString () {
    return this.#lines.length === 0 ? '' : this.#lines.join('\n') + '\n'
  }

  /**
   * @param {(section: string, key: string, value: string, index: number) => void} onValue
   * @param {(section: string, index: number) => void} [onSection]
   */
  #walk (onValue, onSection = (_section, _index) => {}) {
    let section = ''
    this.#lines.forEach((line, index) => {
      const text = line.trim()
      if (text === '' || text.startsWith(';') || text.startsWith('#')) return
      const heading = /^\[(.+)\]$/.exec(text)
      if (heading !== null) {
        section = heading[1].trim()
        onSection(section, index)
        return
      }
      const pair = text.slice(0, text.length - commentOf(text).length)
      const [equals, width] = pair.includes(' = ') ? [pair.indexOf(' = '), 3] : [pair.indexOf('='), 1]
      if (equals > 0) onValue(section, pair.slice(0, equals).trim(), pair.slice(equals + width).trim(), index)
    })
  }
}

/**
 * Returns lines of an ini file that nobody can have meant, such as the rest of a file that was cut off.
 *
 * @param {string} text
 * @returns {string | null} with the number of the line
 */
function damageOf (text) {
  if (text === '') return 'it is empty'
  let section = false
  for (const [index, line] of text.split('\n').entries()) {
    const damage = damageOfLine(line.trim(), section)
    if (damage !== null) return `line ${index + 1} ${damage}`
    section ||= line.trim().startsWith('[')
  }
  return null
}

/** As `damageOf`, of a file as it was read. @param {Buffer} bytes */
function damageOfBytes (bytes) {
  const text = bytes.toString()
  return Buffer.from(text).equals(bytes) ? damageOf(text) : 'it is not UTF-8'
}

/** @param {string} line @param {boolean} section */
function damageOfLine (line, section) {
  if (/[^\P{Cc}\t]/u.test(line)) return 'has a control character'
  if (line === '' || /^[;#]/.test(line)) return null
  if (line.startsWith('[')) return /^\[.+\]$/.test(line) ? null : 'begins a section whose name does not end'
  if (!/^[^=].*=/.test(line)) return 'is neither a section, nor a comment, nor a key with a value'
  return section ? null : 'has a key before the first section'
}

/** The comment at the end of a line, with the space before it. A value may begin with a semicolon, as in CouchDB. @param {string} line */
function commentOf (line) {
  const at = line.search(/(?<![=\s])[ \t]+;/)
  return at === -1 ? '' : line.slice(at)
}

module.exports = { Ini, damageOfBytes }
