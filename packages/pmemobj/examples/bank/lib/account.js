'use strict'

/**
 * An account of the bank. A class that the pool knows (`pool.register`): accounts that are read
 * again have its methods, and each assignment in them is a durable write.
 */
class Account {
  /**
   * @param {number} number
   * @param {string} owner
   */
  constructor (number, owner) {
    this.number = number
    this.owner = owner
    this.balance = 0
    this.opened = new Date()
  }

  /** @param {number} amount cents */
  deposit (amount) {
    this.balance += amount
  }

  /**
   * @param {number} amount cents
   * @throws {RangeError} where there is less
   */
  withdraw (amount) {
    if (amount > this.balance) throw new RangeError(`${this.owner} has not got so much`)
    this.balance -= amount
  }
}

/** The bank's own: what others have, it owes. Money that goes in or out at its counter goes through it. */
class House extends Account {
  withdraw (amount) {
    this.balance -= amount
  }
}

module.exports = { Account, House }
