'use strict'

/** @typedef {import('../../..').Token} Token */

/** Wide letters of ASCII, and narrow Katakana. */
const FORMS = /[\uff00-\uffef]+/g

const CJK = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u30fc\uff70]+$/u

/**
 * Splits tokens of more than one character of East Asia's scripts into their characters.
 *
 * @param {Token} token
 * @returns {Token[]}
 */
function characters (token) {
  const points = [...token.term]
  const isAligned = token.term.length === token.end - token.start
  let start = token.start
  return points.map(term => {
    const end = isAligned ? start + term.length : token.end
    const each = { ...token, term, start, end }
    if (isAligned) start = end
    return each
  })
}

/** @param {Token[]} run characters that follow one another @param {Token[]} out */
function addBigrams (run, out) {
  if (run.length === 1) out.push({ ...run[0], position: out.length })
  for (let at = 1; at < run.length; at++) {
    const [left, right] = [run[at - 1], run[at]]
    out.push({ term: left.term + right.term, position: out.length, start: left.start, end: right.end })
  }
}

/**
 * Makes pairs of neighbours of characters of Chinese, Japanese and Korean; a single one stays alone, and other words stay.
 *
 * @param {Token[]} tokens
 */
function bigrams (tokens) {
  /** @type {Token[]} */
  const out = []
  /** @type {Token[]} */
  let run = []
  const flush = () => {
    addBigrams(run, out)
    run = []
  }
  for (const token of tokens) {
    const term = token.term.replace(FORMS, form => form.normalize('NFKC'))
    const isCjk = CJK.test(term)
    if (run.length > 0 && (!isCjk || run[run.length - 1].end !== token.start)) flush()
    if (isCjk) run.push(...characters({ ...token, term }))
    else out.push({ ...token, term, position: out.length })
  }
  flush()
  return out
}

module.exports = { bigrams }
