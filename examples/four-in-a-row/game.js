'use strict'

const [COLUMNS, ROWS] = [7, 6]
const DIRECTIONS = [[1, 0], [0, 1], [1, 1], [1, -1]]

/** A game of four in a row: an ordinary class. Its instances are documents, so that browsers see them. */
class Game {
  constructor () {
    /** @type {string[][]} what lies in each column, from below */
    this.columns = Array.from({ length: COLUMNS }, () => [])
    this.turn = 'red'
    this.message = 'Red begins.'
    this.over = false
  }

  /**
   * Drops a disc.
   *
   * @param {string} player `red` or `yellow`
   * @param {number} column
   */
  drop (player, column) {
    const discs = Number.isInteger(column) ? this.columns[column] : undefined // `length` is one of a list's, too
    if (this.over || player !== this.turn || discs === undefined || discs.length === ROWS) return
    discs.push(player)
    this.turn = player === 'red' ? 'yellow' : 'red'
    this.message = `It is ${this.turn}'s turn.`
    if (this.isWonAt(column)) this.end(`${player} has won.`)
    else if (this.columns.every(({ length }) => length === ROWS)) this.end('Nobody has won.')
  }

  /** @param {string} message */
  end (message) {
    this.message = message
    this.over = true
  }

  /** Says whether the topmost disc of a column makes four in a row. @param {number} column */
  isWonAt (column) {
    const row = this.columns[column].length - 1
    const player = this.columns[column][row]
    const reach = (x, y) => {
      let length = 0
      while (this.columns[column + x * (length + 1)]?.[row + y * (length + 1)] === player) length++
      return length
    }
    return DIRECTIONS.some(([x, y]) => reach(x, y) + reach(-x, -y) >= 3)
  }
}

module.exports = { Game }
