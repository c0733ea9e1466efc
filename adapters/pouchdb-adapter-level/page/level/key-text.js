'use strict'

const { Bytes, latin1 } = require('../bytes')

/**
 * Keys as texts with one character for each of their bytes: such texts compare as the bytes do, and most keys are ASCII, which
 * is the same in both.
 */

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

const ASCII = /^[\0-\x7f]*$/

/** @param {string} key */
function toText (key) { return ASCII.test(key) ? key : latin1(Bytes.from(key)) }

/** @param {string} text */
function fromText (text) { return ASCII.test(text) ? text : decoder.decode(toBytes(text)) }

/** @param {string} text @returns {Uint8Array} */
function toBytes (text) { return Bytes.from(text, 'latin1') }

/** @typedef {{ from: string, to: string | undefined }} TextRange from: included; to: not included; undefined: to the end */

/** @param {{ gt?: string, gte?: string, lt?: string, lte?: string }} range @returns {TextRange} */
function toTextRange ({ gt, gte, lt, lte }) {
  const from = gte !== undefined ? toText(gte) : gt !== undefined ? after(toText(gt)) : ''
  const to = lte !== undefined ? after(toText(lte)) : lt !== undefined ? toText(lt) : undefined
  return { from, to }
}

/** Returns the least text above one. @param {string} text */
function after (text) { return text + '\0' }

/**
 * Returns how many texts are below one.
 *
 * @param {string[]} texts in order
 * @param {string | undefined} text undefined: above all
 */
function countBelow (texts, text) {
  if (text === undefined) return texts.length
  let low = 0
  let high = texts.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (texts[middle] < text) low = middle + 1
    else high = middle
  }
  return low
}

module.exports = { after, countBelow, fromText, toBytes, toText, toTextRange }
