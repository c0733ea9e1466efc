'use strict'

const { formatMoney } = require('../lib/money')
const { withBank } = require('./with-bank')

/** `bank report` */
module.exports = program => {
  program.command('report')
    .description('say what is in the accounts')
    .action(withBank(bank => [...bank.accounts.values()].map(line).concat(`${bank.journal.length} entries in the journal`).join('\n')))
}

function line ({ number, owner, balance }) {
  return `${String(number).padStart(4)}  ${owner.padEnd(16)}  ${formatMoney(balance).padStart(12)}`
}
