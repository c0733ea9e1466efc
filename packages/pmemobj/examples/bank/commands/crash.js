'use strict'

const { writeSync } = require('node:fs')
const { HOUSE } = require('../lib/bank')
const { withBank } = require('./with-bank')
const { parseCount } = require('./word')

/** `bank crash`: kills itself while money is on its way. */
module.exports = program => {
  program.command('crash')
    .description('make transfers, and be killed (SIGKILL) in the middle of one')
    .option('--after <count>', 'transfers that come to their end', parseCount, 1000)
    .action(withBank((bank, { after }) => {
      const numbers = [...bank.accounts.keys()].filter(number => number !== HOUSE)
      if (numbers.length < 2) throw new RangeError('Open two accounts first')
      for (let count = 0; count < after; count++) {
        const [from, to] = pair(bank, numbers)
        bank.transfer(from, to, 1)
      }
      const [from] = pair(bank, numbers)
      writeSync(1, `${after} transfers made; killed in the middle of another one\n`)
      bank.transaction(() => {
        bank.account(from).withdraw(1)
        // The money is nowhere now.
        process.kill(process.pid, 'SIGKILL')
      })
    }))
}

/** Two accounts by chance, of which the first has something. */
function pair (bank, numbers) {
  const rich = numbers.filter(number => bank.account(number).balance > 0)
  if (rich.length === 0) throw new RangeError('Nobody has any money')
  const from = pick(rich)
  return [from, pick(numbers.filter(number => number !== from))]
}

const pick = numbers => numbers[Math.floor(Math.random() * numbers.length)]
