'use strict'

const { formatMoney } = require('../lib/money')
const { withBank } = require('./with-bank')
const { parseAmount, parseCount } = require('./word')

/** `bank withdraw ACCOUNT AMOUNT` */
module.exports = program => {
  program.command('withdraw')
    .description('take from an account')
    .argument('<account>', 'its number', parseCount)
    .argument('<amount>', 'such as 12.50', parseAmount)
    .action(withBank((bank, number, amount) => {
      bank.withdraw(number, amount)
      return `${bank.account(number).owner} has ${formatMoney(bank.account(number).balance)}`
    }))
}
