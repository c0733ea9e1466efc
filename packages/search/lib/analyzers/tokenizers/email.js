'use strict'

const { widthAt } = require('./kinds')
const { lowerCase } = require('./lower-case')
const { MAX_LENGTH, standardTokens } = require('./standard')

/** @typedef {import('../../..').Token} Token */

const LABEL = '[\\p{L}\\p{Nd}](?:[\\p{L}\\p{Nd}-]{0,61}[\\p{L}\\p{Nd}])?'
const HOST = `(?:${LABEL}\\.){1,20}(?:[a-z]{2}|com|org|net|edu|gov|mil|int|info|biz|name|arpa|[a-z]{3,12}(?=[/:]))`
const REST = '(?::[0-9]{1,5})?(?:/[^\\s<>"]{0,500})?'
const EMAIL = `[a-z0-9!#$%&'*+/=?^_\`{|}~-]{1,64}(?:\\.[a-z0-9!#$%&'*+/=?^_\`{|}~-]{1,64}){0,8}@(?:${HOST}|\\[[0-9.]{7,15}\\])`
const URL = `(?:(?:https?|ftp|file)://[^\\s<>"/?#]{0,253}(?:[/?#][^\\s<>"]{0,500})?|${HOST}${REST})`

/** A mail address or a URL; one that is a part of a longer word is none. */
const SPECIAL = new RegExp(`(?<![\\p{L}\\p{Nd}.])(?:${EMAIL}|${URL})(?![\\p{L}\\p{Nd}@])`, 'gu')
/** Words without one of these are neither. */
const MARK = /@|:\/\/|\.[\p{L}\p{Nd}]/gu
/** Characters that are looked at before a mark. */
const BEFORE = 300
/** The same, with the last mark of these. */
const CHUNK = new RegExp(`[^\\s]{0,${BEFORE}}(?:${MARK.source})[^\\s]{0,800}`, 'uy')
const SPACE = /\s/

/** The parts of a text that may have an address: a search for the whole pattern would look 300 characters ahead of each. @param {string} lower */
function * chunksOf (lower) {
  for (let from = 0; ;) {
    MARK.lastIndex = from
    const mark = MARK.exec(lower)
    if (mark === null) return
    const index = CHUNK.lastIndex = startOf(lower, from, mark.index)
    const [chunk] = /** @type {RegExpExecArray} */ (CHUNK.exec(lower))
    yield { chunk, index }
    from = index + chunk.length
  }
}

/** Finds where the word of a mark begins, or what is looked at of it. @param {string} lower @param {number} from @param {number} mark */
function startOf (lower, from, mark) {
  let at = mark
  for (let left = BEFORE; left > 0 && at > from && !SPACE.test(lower[at - 1]); left--) at -= at - 2 >= from && widthAt(lower, at - 2) === 2 ? 2 : 1
  return at
}

/** @param {string} lower @returns {{ start: number, end: number }[]} */
function specials (lower) {
  const found = []
  for (const { chunk, index } of chunksOf(lower)) {
    for (const each of chunk.matchAll(SPECIAL)) {
      const term = each[0].replace(/[.,;:!?')\]]+$/, '')
      const start = index + each.index
      if (term.length <= MAX_LENGTH) found.push({ start, end: start + term.length })
    }
  }
  return found
}

/**
 * Splits text as {@link standardTokens} does, and keeps mail addresses and URLs whole.
 *
 * @param {string} text
 */
function emailTokens (text) {
  const lower = lowerCase(text)
  /** @type {Token[]} */
  const tokens = []
  /** @param {number} from @param {number} to */
  const plain = (from, to) => {
    for (const { term, start, end } of standardTokens(lower.slice(from, to))) {
      tokens.push({ term, position: tokens.length, start: from + start, end: from + end })
    }
  }
  let done = 0
  for (const { start, end } of specials(lower)) {
    plain(done, start)
    tokens.push({ term: lower.slice(start, end), position: tokens.length, start, end })
    done = end
  }
  plain(done, lower.length)
  return tokens
}

module.exports = { emailTokens }
