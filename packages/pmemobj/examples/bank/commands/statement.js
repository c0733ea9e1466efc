'use strict'

const { formatMoney } = require('../lib/money')
const { withBank } = require('./with-bank')
const { parseCount } = require('./word')

/** `bank statement ACCOUNT` */
module.exports = program => {
  program.command('statement')
    .description("print an account's part of the journal")
    .argument('<account>', 'its number', parseCount)
    .action(withBank((bank, number) => {
      const account = bank.account(number)
      // The same account is the same object, wherever it is met.
      const entries = bank.journal.filter(({ from, to }) => from === account || to === account)
      return [`${account.owner}, since ${account.opened.toISOString()}`, ...entries.map(entry => line(entry, account))].join('\n')
    }))
}

function line ({ at, kind, from, to, amount }, account) {
  const money = formatMoney(to === account ? amount : -amount)
  return `${at.toISOString()}  ${kind.padEnd(10)}  ${(to === account ? from : to).owner.padEnd(16)}  ${money.padStart(12)}`
}
