'use strict'

const { Pool } = require('pmemobj')
const { Account, House } = require('./account')
const { replay } = require('./journal')

const HOUSE = 0

/** A bank in a pool. Every method that moves money is one transaction, with its line in the journal. */
class Bank {
  #pool

  /** @param {string} path of a pool, which is made where there is none */
  constructor (path) {
    this.#pool = Pool.open(path)
    this.#pool.register(Account)
    this.#pool.register(House)
    if (this.#pool.root === undefined) this.#found()
  }

  // One assignment, so one transaction: there is all of a bank, or none.
  #found () {
    this.#pool.root = { accounts: new Map([[HOUSE, new House(HOUSE, 'the house')]]), journal: [] }
  }

  /** @returns {Map<number, Account>} by number; 0 is the bank's own */
  get accounts () { return this.#pool.root.accounts }

  /** @returns {import('./journal').Entry[]} the oldest first; nothing in it ever changes */
  get journal () { return this.#pool.root.journal }

  /** @param {number} number */
  account (number) {
    const account = this.accounts.get(number)
    if (account === undefined) throw new RangeError(`There is no account ${number}`)
    return account
  }

  /**
   * @param {string} owner
   * @param {number} [amount] cents that are paid in
   * @returns {Account}
   */
  open (owner, amount = 0) {
    return this.#pool.transaction(() => {
      const number = this.accounts.size
      this.accounts.set(number, new Account(number, owner))
      if (amount > 0) this.deposit(number, amount)
      return this.account(number)
    })
  }

  deposit (number, amount) {
    this.#move('deposit', HOUSE, number, amount)
  }

  withdraw (number, amount) {
    this.#move('withdrawal', number, HOUSE, amount)
  }

  transfer (from, to, amount) {
    this.#move('transfer', from, to, amount)
  }

  /**
   * Pays interest on every account: all of them, or none.
   *
   * @param {number} percent
   * @returns {number} cents that were paid
   */
  payInterest (percent) {
    return this.#pool.transaction(() => {
      let paid = 0
      for (const [number, { balance }] of this.accounts) {
        const amount = Math.floor(balance * percent / 100)
        if (number === HOUSE || amount <= 0) continue
        this.#move('interest', HOUSE, number, amount)
        paid += amount
      }
      return paid
    })
  }

  /**
   * @param {import('./journal').Entry['kind']} kind
   * @param {number} amount cents, at least one
   */
  #move (kind, from, to, amount) {
    if (!Number.isSafeInteger(amount) || amount < 1) throw new RangeError('The amount must be at least a cent')
    this.transaction(() => {
      const [source, target] = [this.account(from), this.account(to)]
      source.withdraw(amount)
      target.deposit(amount)
      this.journal.push({ at: new Date(), kind, from: source, to: target, amount })
    })
  }

  /**
   * Several movements of which all happen or none.
   *
   * @param {() => void} action
   */
  transaction (action) {
    this.#pool.transaction(action)
  }

  /**
   * Whether the books are right: all balances together are nothing, for what one has another owes,
   * and each is what the journal says.
   *
   * @returns {{ right: boolean, sum: number, wrong: Account[] }} `sum`: of all balances, cents
   */
  check () {
    const expected = replay(this.journal)
    const accounts = [...this.accounts.values()]
    const sum = accounts.reduce((total, { balance }) => total + balance, 0)
    const wrong = accounts.filter(account => account.balance !== (expected.get(account) ?? 0))
    return { right: sum === 0 && wrong.length === 0, sum, wrong }
  }

  close () {
    this.#pool.close()
  }
}

module.exports = { Bank, HOUSE }
