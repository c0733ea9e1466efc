'use strict'

const { NONE } = require('./columns')
const { NumberReader, NumberWriter } = require('./numbers')

/*
 * The records of terms. Some of them, whose numbers are next to each other, share a record: a batch of documents has much fewer
 * to write then. Each term has
 *
 *   its place in the record, a character; how long the rest is; in how many documents it is, how many blocks it has, and its last
 *   postings: how many, the last document, the length of docs, docs, positions
 */

/**
 * @typedef {import('./columns').Tail} Tail
 * @typedef {{ number: number, df: number, blocks: number, tail: Tail }} Term df: how many documents have it; blocks: see block.js
 */

/** Terms of a record. */
const TERMS = 16

const writer = new NumberWriter()

/** @type {Term} */
const UNKNOWN = Object.freeze({ number: 0, df: 0, blocks: 0, tail: NONE })

/** @param {Omit<Term, 'number'>} term */
function encodeTerm ({ df, blocks, tail: { count, last, docs, positions } }) {
  for (const number of [df, blocks, count, last, docs.length]) writer.put(number)
  return writer.take() + docs + positions
}

/** @param {number} number @param {string | undefined} text undefined: no document has the term @returns {Term} */
function decodeTerm (number, text) {
  if (text === undefined) return UNKNOWN
  const reader = new NumberReader(text)
  const df = reader.next()
  const blocks = reader.next()
  const count = reader.next()
  const last = reader.next()
  const end = reader.next() + reader.at
  return { number, df, blocks, tail: { count, last, docs: text.slice(reader.at, end), positions: text.slice(end) } }
}

/** A term with the postings that came behind it in small batches. @param {Term} term @param {Term} late @returns {Term} */
function joined (term, late) {
  if (late.df === 0) return term
  if (term.df === 0) return late
  const { number, df, blocks, tail: { count, docs, positions } } = term
  const more = late.tail
  return { number, df: df + late.df, blocks, tail: { count: count + more.count, last: more.last, docs: docs + more.docs, positions: positions + more.positions } }
}

/** @param {string | undefined} text @returns {Array<string | undefined>} what `encodeTerm` gave of each */
function decodeTerms (text) {
  /** @type {Array<string | undefined>} */
  const terms = new Array(TERMS).fill(undefined)
  if (text === undefined) return terms
  const reader = new NumberReader(text)
  while (reader.at < text.length) {
    const place = reader.nextCode()
    const length = reader.next()
    terms[place] = text.slice(reader.at, reader.at += length)
  }
  return terms
}

/** @param {Array<string | undefined>} terms @returns {string} empty: there is none */
function encodeTerms (terms) {
  let text = ''
  for (let place = 0; place < TERMS; place++) {
    const term = terms[place]
    if (term === undefined) continue
    writer.putCode(place)
    writer.put(term.length)
    text += writer.take() + term
  }
  return text
}

/** The record that a term is in. @param {number} number of the term */
function recordOf (number) { return Math.floor(number / TERMS) }

module.exports = { TERMS, UNKNOWN, decodeTerm, decodeTerms, encodeTerm, encodeTerms, joined, recordOf }
