'use strict'

/**
 * A cost at a size.
 * @typedef {{ over: string, size: number, name: string, unit: string, value: number }} Figure over: the thing that grows
 */

/** Takes down what costs of one size are, and tells of each at once. */
class Figures {
  /** @type {Figure[]} */
  all = []
  #over
  #size
  #log

  /** @param {string} over @param {number} size @param {(text: string) => void} log */
  constructor (over, size, log) {
    this.#over = over
    this.#size = size
    this.#log = log
  }

  /** @param {string} name @param {string} unit @param {number} value */
  add (name, unit, value) {
    const figure = { over: this.#over, size: this.#size, name, unit, value }
    this.all.push(figure)
    this.#log(lineOf(figure))
  }
}

const HEAD = 'over,size,name,unit,value'

/** @param {Figure} figure @returns {string} a line of CSV */
function lineOf ({ over, size, name, unit, value }) {
  return [over, size, /[",]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name, unit, Number(value.toPrecision(4))].join(',')
}

/** @param {Figure[]} figures @returns {string} */
function toCsv (figures) { return [HEAD, ...figures.map(lineOf)].join('\n') + '\n' }

module.exports = { Figures, toCsv }
