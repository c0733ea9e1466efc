'use strict'

const vocabulary = ('time river market garden engine winter letter music history island silver morning teacher forest window planet ' +
  'harbour journey kitchen language mountain network ocean painter quarter railway science theatre village weather yellow zebra ' +
  'running runs runner painting paintings painted gardens gardener gardening letters lettering travel travelled travelling traveller ' +
  'connect connected connection connections relate related relation relational organize organized organization the a of to and in is it was for ' +
  'quick brown fox lazy dog jumps over under between above bright dark cold warm heavy light early late old new small large ' +
  'copper golden iron wooden stone paper glass cotton bread butter cheese apple orange lemon pepper sugar coffee water fire earth').split(' ')

/** A generator of numbers from 0 to 1 that is the same everywhere. @param {number} state */
function numbers (state) {
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return (state >>> 8) / 2 ** 24
  }
}

/**
 * Makes articles of words that follow Zipf's law: most are rare.
 *
 * @param {number} count
 * @returns {{ title: string, text: string }[]}
 */
function articles (count) {
  const next = numbers(20261127)
  const order = vocabulary.map(word => ({ word, at: next() })).sort((left, right) => left.at - right.at).map(({ word }) => word)
  const word = () => order[Math.floor(order.length ** next()) - 1]
  const words = (/** @type {number} */ length) => Array.from({ length }, word).join(' ')
  return Array.from({ length: count }, () => ({ title: words(2 + Math.floor(next() * 5)), text: words(10 + Math.floor(next() ** 2 * 300)) }))
}

module.exports = { articles }
