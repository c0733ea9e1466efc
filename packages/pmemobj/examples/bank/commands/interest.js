'use strict'

const { formatMoney } = require('../lib/money')
const { withBank } = require('./with-bank')
const { parsePercent } = require('./word')

/** `bank interest PERCENT` */
module.exports = program => {
  program.command('interest')
    .description('pay interest on every account, rounded down to cents')
    .argument('<percent>', 'such as 1.5', parsePercent)
    .action(withBank((bank, percent) => `${formatMoney(bank.payInterest(percent))} paid`))
}
