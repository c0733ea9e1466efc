'use strict'

/** Whether a text may hold an integer that JavaScript's numbers cannot. Digits of revisions are not where a number begins. */
const SUSPICIOUS = /[:,[\s]-?\d{16}/

const QUOTE = 34

/**
 * The documents of an answer of `_bulk_get` (`{"results":[{"docs":[{"ok":…}]}]}`) as they stand in its text, in
 * their order; null where JavaScript's numbers hold all of it, so that nothing is lost by parsing.
 *
 * @param {string} text JSON that is known to be well-formed
 * @returns {string[] | null}
 */
function exactResults (text) {
  if (!SUSPICIOUS.test(text)) return null
  const found = []
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) {
      const end = endOfString(text, at)
      if (depth === 5 && text.slice(at, end) === '"ok"') {
        const start = text.indexOf('{', end)
        at = endOfObject(text, start)
        found.push(text.slice(start, at))
        at--
      } else at = end - 1
    } else if (code === 123 || code === 91) depth++
    else if (code === 125 || code === 93) depth--
  }
  return found
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
      return cut(text, at, endOfObject(text, text.indexOf('{', end)))
    }
    at = end - 1
  }
  return text
}

/** With the comma behind it, or before. */
function cut (text, start, end) {
  const before = text.slice(0, start)
  const after = text.slice(end)
  return /^\s*,/.test(after) ? before + after.replace(/^\s*,/, '') : before.replace(/,\s*$/, '') + after
}

/** Behind the quotes that end the string that begins there. */
function endOfString (text, start) {
  for (let at = start + 1; ; at++) {
    const code = text.charCodeAt(at)
    if (code === 92) at++
    else if (code === QUOTE) return at + 1
  }
}

/** Behind the brace that ends the object that begins there. */
function endOfObject (text, start) {
  let depth = 0
  for (let at = start; ; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = endOfString(text, at) - 1
    else if (code === 123) depth++
    else if (code === 125 && --depth === 0) return at + 1
  }
}

module.exports = { exactResults, withoutMember }
