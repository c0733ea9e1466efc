'use strict'

const { formatVector, numberOf, ofShard } = require('../sequence')

/** @typedef {import('@potoroo/document-store').ShardedDatabase} ShardedDatabase */

/**
 * How far a feed is in each shard.
 *
 * @typedef {object} Position
 * @property {string} text as the client is told
 * @property {(index: number) => string} since as the shard takes it
 * @property {(index: number) => number} numberAt
 * @property {(index: number, text: string) => void} move takes a sequence of the shard
 */

/** @implements {Position} */
class ShardsPosition {
  #database
  #numbers

  /** @param {ShardedDatabase} database @param {number[]} numbers */
  constructor (database, numbers) {
    this.#database = database
    this.#numbers = numbers
  }

  get text () { return formatVector(this.#database, this.#numbers) }

  /** @param {number} index */
  since (index) { return ofShard(this.#database, this.#numbers[index]) }

  /** @param {number} index */
  numberAt (index) { return this.#numbers[index] }

  /** @param {number} index @param {string} text */
  move (index, text) { this.#numbers[index] = numberOf(text) }
}

/** That of a database in one piece: as it says itself. @implements {Position} */
class PlainPosition {
  /** @param {string} text */
  constructor (text) { this.text = text }

  since () { return this.text }

  numberAt () { return numberOf(this.text) }

  /** @param {number} index @param {string} text */
  move (index, text) { this.text = text }
}

module.exports = { PlainPosition, ShardsPosition }
