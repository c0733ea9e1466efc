'use strict'

const { Library } = require('../lib/library')

/**
 * An action for a command: opens the library that `--pool` names, and closes it again.
 *
 * @param {(library: Library, ...words: any[]) => string} action what it returns is printed
 * @returns {(...words: any[]) => void} for `command.action`
 */
function withLibrary (action) {
  return (...words) => {
    const command = words.pop()
    const library = new Library(command.optsWithGlobals().pool)
    try {
      process.stdout.write(`${action(library, ...words)}\n`)
    } finally {
      library.close()
    }
  }
}

module.exports = { withLibrary }
