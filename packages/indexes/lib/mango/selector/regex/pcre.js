'use strict'

const { ESCAPES, POSIX, classEscape, codePoint, escape, property } = require('./pcre-escapes')

/** Stands in a class of characters that lie in several of Unicode's planes. */
const MANY_PLANES = /\\[pP]\{|\\u\{[1-9a-f][0-9a-f]{4}|[\u{10000}-\u{10ffff}]/iu

/**
 * A class after which V8 begins again: else it compiles eight of them in a row, each a choice of pairs of code units, for seconds.
 *
 * @param {string} text
 */
function whole (text) { return `(?:${text}(?=))` }

/** Thrown for what PCRE has and JavaScript has nothing like. */
class Unsupported extends Error {}

/**
 * An expression of PCRE, which CouchDB's `$regex` takes, as one of JavaScript that finds the same.
 *
 * The two differ in options in the expression, `$` before a last newline, `.` and `\s`, classes
 * of POSIX, named groups, `\A \z \Z \h \R \Q…\E` and their kin. CouchDB's expressions match bytes, these
 * match characters.
 *
 * @param {string} pattern
 * @returns {{ source: string, flags: string }}
 * @throws {SyntaxError} no expression; {Unsupported} atomic groups, possessive quantifiers, recursion,
 *   conditions, `\K`, `\G`, `\X`, options in the middle
 */
function translate (pattern) { return new Translator(pattern).translate() }

class Translator {
  #pattern
  #at = 0
  #source = ''
  #ignoresCase = false
  /** Options within the group, and within those around it. */
  #options = [{ m: false, s: false, x: false }]

  /** @param {string} pattern */
  constructor (pattern) {
    this.#pattern = pattern
  }

  translate () {
    this.#leadingOptions()
    while (this.#at < this.#pattern.length) this.#next()
    return { source: this.#source, flags: this.#ignoresCase ? 'iu' : 'u' }
  }

  get #option () { return /** @type {{ m: boolean, s: boolean, x: boolean }} */ (this.#options.at(-1)) }

  /** @param {RegExp} expression sticky @returns {string[] | null} what stands here, and is done with */
  #take (expression) {
    expression.lastIndex = this.#at
    const match = expression.exec(this.#pattern)
    if (match !== null) this.#at = expression.lastIndex
    return match
  }

  #leadingOptions () {
    this.#take(/(\(\*(UTF8?|UCP)\))+/y)
    for (let match = this.#take(/\(\?([a-zA-Z]*)(?:-([a-zA-Z]+))?\)/y); match !== null; match = this.#take(/\(\?([a-zA-Z]*)(?:-([a-zA-Z]+))?\)/y)) {
      this.#set(match[1], true)
      this.#set(match[2] ?? '', false)
    }
  }

  /** @param {string} letters @param {boolean} on */
  #set (letters, on) {
    for (const letter of letters) {
      if (letter === 'i') this.#ignoresCase = on
      else if (letter === 'm' || letter === 's' || letter === 'x') this.#option[letter] = on
      else throw new Unsupported(`option ${letter}`)
    }
  }

  #next () {
    const char = String.fromCodePoint(/** @type {number} */ (this.#pattern.codePointAt(this.#at)))
    this.#at += char.length
    switch (char) {
      case '\\': return this.#escape()
      case '[': return this.#class()
      case '(': return this.#group()
      case ')': return this.#close()
      case '.': return this.#put(this.#option.s ? '[\\s\\S]' : '[^\\n]')
      case '^': return this.#put(this.#option.m ? '(?:^|(?<=\\n)(?=[\\s\\S]))' : '^')
      case '$': return this.#put(this.#option.m ? '(?:$|(?=\\n))' : '(?:$|(?=\\n$))')
      case '|': return this.#put('|')
      case '*': case '+': case '?': return this.#repeat(char)
      case '{': return this.#braces()
      default: return this.#literal(char)
    }
  }

  /** @param {string} text */
  #put (text) { this.#source += text }

  /** @param {string} char */
  #literal (char) {
    if (!this.#option.x || !/[\s#]/.test(char)) this.#put(escape(char))
    else if (char === '#') this.#take(/[^\n]*/y)
  }

  /** @param {string} text */
  #repeat (text) {
    if (this.#pattern[this.#at] === '+') throw new Unsupported('possessive quantifiers')
    this.#put(text)
    if (this.#pattern[this.#at] !== '?') return
    this.#at++
    this.#put('?')
  }

  #braces () {
    const match = this.#take(/\d+(,\d*)?\}/y)
    if (match === null) this.#put('\\{')
    else this.#repeat(`{${match[0]}`)
  }

  #close () {
    if (this.#options.length === 1) throw new SyntaxError('Unmatched )')
    this.#options.pop()
    this.#put(')')
  }

  #group () {
    if (this.#take(/\?#[^)]*\)/y) !== null) return
    const name = this.#take(/\?P=(\w+)\)/y)
    if (name !== null) return this.#put(`\\k<${name[1]}>`)
    this.#options.push({ ...this.#option })
    const named = this.#take(/\?P?<([A-Za-z_]\w*)>|\?'([A-Za-z_]\w*)'/y)
    if (named !== null) return this.#put(`(?<${named[1] ?? named[2]}>`)
    const special = this.#take(/\?(:|=|!|<=|<!)/y)
    if (special !== null) return this.#put(`(${special[0]}`)
    const scoped = this.#take(/\?([msx]*)(?:-([msx]+))?:/y)
    if (scoped !== null) return this.#scope(scoped)
    if (this.#pattern[this.#at] === '?' || this.#pattern[this.#at] === '*') throw new Unsupported(`groups that begin with (${this.#pattern.slice(this.#at, this.#at + 2)}`)
    this.#put('(')
  }

  /** @param {string[]} match */
  #scope (match) {
    const [, on, off = ''] = match
    this.#set(on, true)
    this.#set(off, false)
    this.#put('(?:')
  }

  #escape () {
    const quoted = this.#take(/Q([^]*?)(?:\\E|$)/y)
    if (quoted !== null) return this.#put([...quoted[1]].map(char => escape(char)).join(''))
    const point = codePoint(expression => this.#take(expression))
    if (point !== null) return this.#put(point)
    const back = this.#take(/([1-9]\d*)|g\{?(\d+)\}?|(?:k[<'{]|g\{)([A-Za-z_]\w*)[>'}]/y)
    if (back !== null) return this.#put(back[3] === undefined ? `(?:\\${back[1] ?? back[2]})` : `\\k<${back[3]}>`)
    const known = this.#take(/p\{(\^?)(\w+&?)\}|P\{(\^?)(\w+&?)\}|[pP]([A-Z])/y)
    if (known !== null) return this.#put(whole(property(known)))
    this.#simpleEscape()
  }

  #simpleEscape () {
    const char = this.#pattern[this.#at++]
    if (char === undefined) throw new SyntaxError('\\ at end of pattern')
    if ('KGXCgk'.includes(char)) throw new Unsupported(`\\${char}`)
    this.#put(ESCAPES[char] ?? escape(char))
  }

  #class () {
    let text = this.#take(/\^/y) === null ? '[' : '[^'
    if (this.#take(/\]/y) !== null) text += '\\]'
    for (;;) {
      if (this.#at >= this.#pattern.length) throw new SyntaxError('Missing terminating ]')
      if (this.#take(/\]/y) !== null) break
      text += this.#classItem()
    }
    this.#put(MANY_PLANES.test(text) ? whole(`${text}]`) : `${text}]`)
  }

  #classItem () {
    const posix = this.#take(/\[:(\^?)(\w+):\]/y)
    if (posix !== null) {
      if (posix[1] !== '' || !Object.hasOwn(POSIX, posix[2])) throw new Unsupported(`[:${posix[1]}${posix[2]}:]`)
      return POSIX[posix[2]]
    }
    if (this.#take(/-/y) !== null) return this.#dash()
    const match = /** @type {string[]} */ (this.#take(/\\?[^]/uy))
    if (match[0].length === 1 || match[0][0] !== '\\') return escape(match[0], true)
    this.#at -= match[0].length - 1
    const item = codePoint(expression => this.#take(expression)) ?? classEscape(expression => this.#take(expression))
    if (item === null) throw new Unsupported(`\\${this.#pattern[this.#at]} in a class`)
    return item
  }

  /** Reads a dash: of a range, or as it is where it stands first or last. */
  #dash () {
    const isFirst = /\[\^?$/.test(this.#pattern.slice(0, this.#at - 1))
    return isFirst || this.#pattern[this.#at] === ']' ? '\\-' : '-'
  }
}

module.exports = { translate, Unsupported }
