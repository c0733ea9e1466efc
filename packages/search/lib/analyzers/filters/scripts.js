'use strict'

const { mapping } = require('./words')

/** One form of letters that are written in several ways, without vowels and lengthening. */
const arabic = mapping(term => term
  .replace(/\u0640|[\u064b-\u0652]/g, '').replace(/[\u0622\u0623\u0625]/g, '\u0627').replace(/\u0649/g, '\u064a').replace(/\u0629/g, '\u0647'))

/** @param {string} term */
function persianLetters (term) {
  return term.replace(/[\u06cc\u06d2]/g, '\u064a').replace(/\u06a9/g, '\u0643').replace(/[\u06c0\u06c1\u06d5]/g, '\u0647').replace(/[\u0654\u0621]/g, '')
}

/** One form of Persian's letters. */
const persian = mapping(persianLetters)

/** Greek in small letters without accents, and every sigma the same. */
const greek = mapping(term => term.normalize('NFD').replace(/[\u0300-\u036f]/g, '').replace(/\u03c2/g, '\u03c3').normalize())

/** One form of Devanagari's letters with a nukta, a nasal or a sign that only joins. */
const hindi = mapping(term => term
  .normalize('NFD').replace(/[\u093c\u200c\u200d]/g, '').normalize().replace(/\u0901/g, '\u0902').replace(/\u0928\u094d(?=[क-ह])/g, '\u0902'))

/** Romanian's letters with a comma below, as Snowball's stemmer knows them: with a cedilla. */
const romanian = mapping(term => term.replace(/\u0219/g, '\u015f').replace(/\u021b/g, '\u0163'))

module.exports = { arabic, greek, hindi, persian, romanian }
