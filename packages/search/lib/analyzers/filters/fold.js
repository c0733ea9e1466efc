'use strict'

/** Letters that no normal form splits, and how ASCII writes them. @type {Map<string, string>} */
const letters = new Map()
for (const [from, to] of [
  ['ß', 'ss'], ['ẞ', 'SS'], ['æ', 'ae'], ['Æ', 'AE'], ['œ', 'oe'], ['Œ', 'OE'], ['þ', 'th'], ['Þ', 'TH'], ['ə', 'a'], ['ɓ', 'b'], ['ƈ', 'c'], ['đðɗ', 'd'], ['ĐÐ', 'D'], ['ɛ', 'e'],
  ['ƒ', 'f'], ['ɠ', 'g'], ['ħ', 'h'], ['Ħ', 'H'], ['ıɨɩ', 'i'], ['ƙ', 'k'], ['ł', 'l'], ['Ł', 'L'], ['ŋɲ', 'n'], ['Ŋ', 'N'], ['øɔɵ', 'o'], ['Ø', 'O'], ['ƥ', 'p'], ['ĸ', 'q'],
  ['ŧƭ', 't'], ['Ŧ', 'T'], ['ʉ', 'u'], ['ʋ', 'v'], ['ƴ', 'y'], ['ƶ', 'z'], ['«»“”', '"'], ['‘’', '\''], ['–—', '-']
]) {
  for (const letter of from) letters.set(letter, to)
}

/** @param {string} character */
function foldCharacter (character) {
  const letter = letters.get(character)
  if (letter !== undefined) return letter
  const plain = character.normalize('NFKD').replace(/\p{Mn}/gu, '')
  // eslint-disable-next-line no-control-regex -- all of ASCII
  return /^[\x00-\x7f]+$/.test(plain) ? plain : character
}

/**
 * Writes letters of Latin scripts without their marks, and ligatures as letters: "ﬁancée" becomes "fiancee". Other scripts stay.
 *
 * @param {string} term
 */
function foldAscii (term) {
  // eslint-disable-next-line no-control-regex -- all but ASCII
  return term.normalize().replace(/[^\x00-\x7f]/gu, foldCharacter)
}

module.exports = { foldAscii }
