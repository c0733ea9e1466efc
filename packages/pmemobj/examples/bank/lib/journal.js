'use strict'

/**
 * One movement of money. `from` and `to` are the accounts themselves, not their numbers: an object
 * of the pool that is assigned is referred to.
 *
 * @typedef {object} Entry
 * @property {Date} at
 * @property {'deposit' | 'withdrawal' | 'transfer' | 'interest'} kind
 * @property {import('./account').Account} from
 * @property {import('./account').Account} to
 * @property {number} amount cents
 */

/**
 * Returns what the accounts must hold by the journal.
 *
 * @param {Entry[]} journal
 * @returns {Map<import('./account').Account, number>} cents
 */
function replay (journal) {
  const balances = new Map()
  const add = (account, amount) => balances.set(account, (balances.get(account) ?? 0) + amount)
  for (const { from, to, amount } of journal) {
    add(from, -amount)
    add(to, amount)
  }
  return balances
}

module.exports = { replay }
