'use strict'

const { BitWriter, GolombReader } = require('../postings/bits')
const { NumberReader, NumberWriter } = require('../postings/numbers')

/*
 * Lists what a document has in an index, by which it is taken out. First JSON, without line ends, [field, length, …], another one
 * of its numbers, or nothing, and a line end after each; then how many terms it has, and their numbers in ascending order: how much each is
 * above the one before, less one, in Golomb's exponential codes, whose k follows what came before: see ../postings/bits.js.
 */

/**
 * @typedef {{ fields: Array<[field: string, length: number]>, numbers: Array<[string, string]>, terms: Int32Array }} Forward terms: ascending numbers
 */

/** Four times the mean distance, at first: a quarter of it is replaced by each distance. */
const FIRST = 16

const header = new NumberWriter()
const bits = new BitWriter()

/** @param {number} mean four times @returns {number} k */
function riceOf (mean) { return Math.max(0, 29 - Math.clz32(mean)) }

/** @param {number} mean four times @param {number} distance */
function nextMean (mean, distance) { return mean - (mean >>> 2) + Math.min(distance, 2 ** 24) }

/** The first part of a record, which takes longest. @param {Forward['fields']} fields */
function encodeFields (fields) { return JSON.stringify(fields.flat()) }

/** @param {Forward} forward @param {string} [encoded] its fields, where they were encoded in a turn before @returns {string} */
function encodeForward ({ fields, numbers, terms }, encoded = encodeFields(fields)) {
  header.put(terms.length)
  let mean = FIRST
  let last = -1
  for (let i = 0; i < terms.length; i++) {
    const distance = terms[i] - last - 1
    last = terms[i]
    bits.putGolomb(distance, riceOf(mean))
    mean = nextMean(mean, distance)
  }
  return `${encoded}\n${numbers.length === 0 ? '' : JSON.stringify(numbers)}\n${header.take()}${bits.take()}`
}

/** @param {string} text @returns {Forward} */
function decodeForward (text) {
  const middle = text.indexOf('\n')
  const end = text.indexOf('\n', middle + 1)
  const flat = JSON.parse(text.slice(0, middle))
  const fields = Array.from({ length: flat.length / 2 }, (_, i) => flat.slice(2 * i, 2 * i + 2))
  const numbers = middle + 1 === end ? [] : JSON.parse(text.slice(middle + 1, end))
  const start = new NumberReader(text, end + 1)
  const terms = new Int32Array(start.next())
  const reader = new GolombReader(text, 7 * start.at)
  let mean = FIRST
  for (let i = 0, last = -1; i < terms.length; i++) {
    const distance = reader.next(riceOf(mean))
    terms[i] = last = last + distance + 1
    mean = nextMean(mean, distance)
  }
  return { fields, numbers, terms }
}

module.exports = { decodeForward, encodeFields, encodeForward }
