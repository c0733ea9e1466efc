'use strict'

const seedrandom = require('seedrandom')

/** Decides what happens, by a seed. */
class Chance {
  /** @param {string} seed */
  constructor (seed) { this.random = seedrandom(seed) }

  /** A number from 0 up to one less than `below`. @param {number} below */
  below (below) { return Math.floor(this.random() * below) }

  /** @param {number} part of all times */
  happens (part) { return this.random() < part }

  /** @template T @param {T[]} list @returns {T} */
  one (list) { return list[this.below(list.length)] }

  /** Some of a list, at least `least`. @template T @param {T[]} list @param {number} [least] @returns {T[]} */
  some (list, least = 0) {
    const left = [...list]
    const taken = []
    const count = least + this.below(list.length - least + 1)
    while (taken.length < count) taken.push(...left.splice(this.below(left.length), 1))
    return taken
  }

  /** One of several functions, by their weights. @template T @param {Array<[number, T]>} choices @returns {T} */
  weighted (choices) {
    let at = this.random() * choices.reduce((sum, [weight]) => sum + weight, 0)
    for (const [weight, choice] of choices) if ((at -= weight) < 0) return choice
    return choices[choices.length - 1][1]
  }
}

module.exports = { Chance }
