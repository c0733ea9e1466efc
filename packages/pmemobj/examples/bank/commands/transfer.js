'use strict'

const { formatMoney } = require('../lib/money')
const { withBank } = require('./with-bank')
const { parseAmount, parseCount } = require('./word')

/** `bank transfer FROM TO AMOUNT` */
module.exports = program => {
  program.command('transfer')
    .description('move money from one account to another')
    .argument('<from>', 'number of an account', parseCount)
    .argument('<to>', 'number of another', parseCount)
    .argument('<amount>', 'such as 12.50', parseAmount)
    .action(withBank((bank, from, to, amount) => {
      bank.transfer(from, to, amount)
      return [from, to].map(number => `${bank.account(number).owner} has ${formatMoney(bank.account(number).balance)}`).join(', ')
    }))
}
