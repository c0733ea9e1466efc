'use strict'

const { endOfString, endOfValue } = require('@potoroo/document-store')

/**
 * Whether a text may hold what JavaScript's objects do not: integers that its numbers cannot hold, floats that are whole,
 * and names that look like numbers, which would come first. Digits of revisions are not where a number begins.
 */
const SUSPICIOUS = /[:,[\s]-?(?:\d{16}|\d+\.\d*0(?!\d)|[\d.]+[eE])|[:,[\s]-0|"\d{1,10}"\s*:/

const QUOTE = 34

/** Text between a name and the object that it has. */
const OBJECT = /\s*:\s*(?=\{)/y

/**
 * The first document of each result of an answer of `_bulk_get` (`{"results":[{"docs":[{"ok":…}]}]}`) as it stands
 * in its text, undefined where there is none; null where nothing is lost by parsing.
 *
 * @param {string} text JSON that is known to be well-formed
 * @returns {Array<string | undefined> | null}
 */
function exactResults (text) {
  if (!SUSPICIOUS.test(text)) return null
  /** @type {Array<string | undefined>} */
  const found = []
  let depth = 0
  let docs = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) {
      const end = endOfString(text, at)
      const start = depth === 5 && docs === 1 && text.slice(at, end) === '"ok"' ? startOfObject(text, end) : -1
      at = (start === -1 ? end : endOfValue(text, start)) - 1
      if (start !== -1) found[found.length - 1] = text.slice(start, at + 1)
    } else if (code === 123 || code === 91) {
      if (depth === 2) [docs] = [0, found.push(undefined)]
      else if (depth === 4) docs++
      depth++
    } else if (code === 125 || code === 93) depth--
  }
  return found
}

/**
 * Returns the start of the object that is the value of the name that ends here; -1 if the value is no object.
 * @param {string} text
 * @param {number} end
 */
function startOfObject (text, end) {
  OBJECT.lastIndex = end
  return OBJECT.test(text) ? OBJECT.lastIndex : -1
}

/**
 * The text of an object without one of its members.
 * @param {string} text
 * @param {string} name without characters that are escaped
 */
function withoutMember (text, name) {
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 123 || code === 91) depth++
    else if (code === 125 || code === 93) depth--
    if (code !== QUOTE) continue
    const end = endOfString(text, at)
    if (depth === 1 && text.slice(at + 1, end - 1) === name && /^\s*:\s*\{/.test(text.slice(end, end + 20))) {
      return cut(text, at, endOfValue(text, text.indexOf('{', end)))
    }
    at = end - 1
  }
  return text
}

/**
 * Cuts a member out, with the comma behind it or before it.
 * @param {string} text
 * @param {number} start
 * @param {number} end
 */
function cut (text, start, end) {
  const before = text.slice(0, start)
  const after = text.slice(end)
  return /^\s*,/.test(after) ? before + after.replace(/^\s*,/, '') : before.replace(/,\s*$/, '') + after
}

module.exports = { exactResults, withoutMember }
