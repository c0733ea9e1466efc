'use strict'

const { formatMoney } = require('../lib/money')
const { withBank } = require('./with-bank')
const { parseAmount } = require('./word')

/** `bank open OWNER [AMOUNT]` */
module.exports = program => {
  program.command('open')
    .description('open an account')
    .argument('<owner>')
    .argument('[amount]', 'paid in at once', parseAmount, 0)
    .action(withBank((bank, owner, amount) => {
      const account = bank.open(owner, amount)
      return `account ${account.number}, ${account.owner}: ${formatMoney(account.balance)}`
    }))
}
