'use strict'

/**
 * Takes the backslashes of escapes away; `\u` and four digits of base sixteen are a UTF-16 unit.
 *
 * @param {string} text
 * @throws {SyntaxError} with Lucene's words
 */
function unescape (text) {
  if (!text.includes('\\')) return text
  return text.replace(/\\(?:u([^]{0,4})|([^])|$)/g, (whole, hex, character) => {
    if (character !== undefined) return character
    if (hex === undefined) throw new SyntaxError('Term can not end with escape character.')
    if (hex.length < 4) throw new SyntaxError('Truncated unicode escape sequence.')
    if (!/^[0-9a-f]{4}$/i.test(hex)) throw new SyntaxError(`Non-hex character in Unicode escape sequence: ${/[^0-9a-f]/i.exec(hex)?.[0]}`)
    return String.fromCharCode(parseInt(hex, 16))
  })
}

/**
 * Applies a change to all but the escapes and the characters that have a meaning.
 *
 * @param {string} text
 * @param {RegExp} kept with the flag g: what stays as it is
 * @param {(text: string) => string} change
 */
function changeLiterals (text, kept, change) {
  let done = 0
  let result = ''
  for (const { 0: match, index } of text.matchAll(kept)) {
    result += change(text.slice(done, index)) + match
    done = index + match.length
  }
  return result + change(text.slice(done))
}

module.exports = { changeLiterals, unescape }
