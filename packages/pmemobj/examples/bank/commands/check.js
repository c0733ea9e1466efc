'use strict'

const { HOUSE } = require('../lib/bank')
const { formatMoney } = require('../lib/money')
const { withBank } = require('./with-bank')

const WRONG = 1

/** `bank check`: 0 the books are right, 1 they are not. */
module.exports = program => {
  program.command('check')
    .description('add everything up, and compare it with the journal')
    .action(withBank(bank => {
      const { right, sum, wrong } = bank.check()
      if (!right) process.exitCode = WRONG
      const owed = formatMoney(-bank.account(HOUSE).balance)
      return right
        ? `The books are right: customers have ${owed}, the house owes ${owed}, as ${bank.journal.length} entries of the journal say.`
        : [`The books are wrong: all balances together are ${formatMoney(sum)}.`, ...wrong.map(({ number, owner }) => `  account ${number}, ${owner}, is not what the journal says`)].join('\n')
    }))
}
