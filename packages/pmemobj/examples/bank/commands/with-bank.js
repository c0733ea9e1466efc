'use strict'

const { Bank } = require('../lib/bank')

/**
 * An action for a command: opens the bank that `--pool` names, and closes it again.
 *
 * @param {(bank: Bank, ...words: any[]) => string | void} action what it returns is printed
 * @returns {(...words: any[]) => void} for `command.action`
 */
function withBank (action) {
  return (...words) => {
    const command = words.pop()
    const bank = new Bank(command.optsWithGlobals().pool)
    try {
      const text = action(bank, ...words)
      if (text) process.stdout.write(`${text}\n`)
    } finally {
      bank.close()
    }
  }
}

module.exports = { withBank }
