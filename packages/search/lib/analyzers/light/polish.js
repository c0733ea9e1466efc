'use strict'

/** Endings of verbs, adjectives and nouns by length; a shorter one is tried where the longer leave too little. */
const endings = [
  'iejszymi iejszych iejszego iejszemu',
  'owania owanie owaniu owaniem ejszymi ejszych ejszego ejszemu ejszym ejsza ejsze ejszy ejszą iejsza iejsze iejszy iejszą iejszym',
  'aniami eniami anego onego anemu onemu owego owemu iości ością owych owymi anych onych anymi onymi ności nością ność',
  'ach iach ami iami owie owi owej owym owych owa owe owy ową ani ane ana any aną eni one ona ony oną anie aniu ania enie eniu enia ości ość aniem eniem ając ąca ące ący iego iemu ego emu ych ich ymi imi ów iów ował owała owało owali owały ować uję uje ują',
  'łam łem łaś łeś liśmy łyśmy amy emy imy ymy acie ecie icie ycie ała ało ali ały eła iła iło ili iły yła yło yli yły ać eć ić yć',
  'ał eł ił ył iej iem iom om em ie ia ią ię io iu ej ym im ął ął am asz esz isz ysz',
  'a ą e ę i o u y'
].map(group => group.split(' ').sort((left, right) => right.length - left.length)).flat()
  .sort((left, right) => right.length - left.length)

/** The letters that are left of a word at least. */
const LEAST = 3

/** A consonant that an ending softened. @type {[RegExp, string][]} */
const softened = [[/ść$/, 'st'], [/ści$/, 'st'], [/rz$/, 'r'], [/(?<=[bcdfghkmnprstwzłl])i$/, ''], [/ć$/, 'c'], [/ń$/, 'n'], [/ś$/, 's'], [/ź$/, 'z'], [/ó(.)$/, 'o$1'], [/(?<=.{2})e([kcł])$/, '$1'], [/ł$/, 'l']]

/** @param {string} word */
function hardened (word) {
  return softened.reduce((each, [ending, hard]) => each.length > LEAST - 1 ? each.replace(ending, hard) : each, word)
}

/**
 * Stems a Polish word lightly: the longest ending that leaves enough goes, and what it softened becomes hard.
 *
 * @param {string} word in lower case
 */
function stem (word) {
  const found = endings.find(ending => word.endsWith(ending) && word.length - ending.length >= LEAST)
  return hardened(found === undefined ? word : word.slice(0, -found.length))
}

module.exports = { stem }
