'use strict'

/**
 * Kinds of characters in the rules of word boundaries. `han`, `hiragana` and `complex` are kinds of their own, as
 * Lucene's StandardTokenizer has them.
 *
 * @see https://unicode.org/reports/tr29/#Table_Word_Break_Property_Values
 */
const kinds = {
  other: 0,
  letter: 1,
  numeric: 2,
  hebrew: 3,
  katakana: 4,
  extendNumLet: 5,
  midLetter: 6,
  midNum: 7,
  midNumLet: 8,
  singleQuote: 9,
  doubleQuote: 10,
  extend: 11,
  han: 12,
  hiragana: 13,
  complex: 14,
  pictograph: 15,
  regional: 16
}

/** The first that fits decides. JavaScript has no Word_Break property: these say the same in properties that it has. */
/** @type {[number, RegExp][]} */
const patterns = [
  [kinds.numeric, /\p{Nd}/u],
  [kinds.singleQuote, /'/],
  [kinds.doubleQuote, /"/],
  [kinds.midNumLet, /[.\u2018\u2019\u2024\ufe52\uff07\uff0e]/],
  [kinds.midLetter, /[:\u00b7\u0387\u055f\u05f4\u2027\ufe13\ufe55\uff1a]/],
  [kinds.midNum, /[,;\u037e\u0589\u060c\u060d\u066c\u07f8\u2044\ufe10\ufe14\ufe50\ufe54\uff0c\uff1b]/],
  [kinds.extendNumLet, /[\p{Pc}\u202f]/u],
  [kinds.complex, /(?=[\p{L}\p{M}])[\p{Script=Thai}\p{Script=Lao}\p{Script=Myanmar}\p{Script=Khmer}\p{Script=Tai_Le}\p{Script=New_Tai_Lue}\p{Script=Tai_Tham}\p{Script=Tai_Viet}\p{Script=Ahom}]/u],
  [kinds.extend, /[\p{Grapheme_Extend}\p{Mc}\p{Emoji_Modifier}]|(?!\u200b)\p{Cf}/u],
  [kinds.katakana, /[\p{Script=Katakana}\u3031-\u3035\u309b\u309c\u30a0\u30fc\uff70]/u],
  [kinds.hiragana, /\p{Script=Hiragana}/u],
  [kinds.letter, /[\u3005\u303b\u303c]/],
  [kinds.han, /\p{Script=Han}/u],
  [kinds.hebrew, /(?=\p{Lo})\p{Script=Hebrew}/u],
  [kinds.letter, /\p{Alphabetic}|[\u02c2-\u02c5\u02d2-\u02d7\u02de\u02df\u02e5-\u02eb\u02ed\u02ef-\u02ff\u055a-\u055c\u055e\u058a\u05f3\ua708-\ua716\ua720\ua721\ua789\ua78a\uab5b]/u],
  [kinds.regional, /\p{Regional_Indicator}/u],
  [kinds.pictograph, /[\p{Extended_Pictographic}#*]/u]
]

/** @param {number} point a code point */
function classify (point) {
  const character = String.fromCodePoint(point)
  const found = patterns.find(([, pattern]) => pattern.test(character))
  return found === undefined ? kinds.other : found[0]
}

const UNKNOWN = 255
/** Kinds that were asked for, by code unit. Surrogates stay unknown. */
const known = new Uint8Array(0x10000).fill(UNKNOWN)
/** @type {Map<number, number>} */
const knownAstral = new Map()
for (let unit = 0; unit < 128; unit++) known[unit] = classify(unit)

/** @param {number} point */
function astralKind (point) {
  let kind = knownAstral.get(point)
  if (kind === undefined) knownAstral.set(point, kind = classify(point))
  return kind
}

/**
 * Returns the kind of the character that begins at `at`.
 *
 * @param {string} text
 * @param {number} at
 */
function kindAt (text, at) {
  const unit = text.charCodeAt(at)
  const kind = known[unit]
  if (kind !== UNKNOWN) return kind
  const point = /** @type {number} */ (text.codePointAt(at))
  if (point > 0xffff) return astralKind(point)
  const isLone = unit >= 0xd800 && unit <= 0xdfff
  return isLone ? kinds.other : (known[unit] = classify(point))
}

/**
 * Returns how many units the character that begins at `at` has.
 *
 * @param {string} text
 * @param {number} at
 */
function widthAt (text, at) {
  const unit = text.charCodeAt(at)
  if (unit < 0xd800 || unit > 0xdbff) return 1
  const next = text.charCodeAt(at + 1)
  return next >= 0xdc00 && next <= 0xdfff ? 2 : 1
}

module.exports = { kindAt, kinds, widthAt }
