'use strict'

const { createCommand } = require('../../../server/lib/commands/cli')

/** @typedef {import('commander').Command} Command */

const HEAD = `# Command line

<!-- Made by \`npm run docs\` from the commands' own --help. Edit server/lib/commands/cli.js and server/lib/commands, not this page. -->

In a clone of the repository \`npx potoroo\` runs these commands, and \`npm start -- OPTIONS\` is \`potoroo serve OPTIONS\`.
`

/** @returns {string} docs/reference/command-line.md */
function renderCommandLine () {
  return [HEAD, ...describe(createCommand(), [])].join('\n')
}

/**
 * The help of a command and of those below it.
 *
 * @param {Command} command
 * @param {string[]} above names of the commands that it is one of
 * @returns {string[]}
 */
function describe (command, above) {
  const names = [...above, command.name()]
  const below = command.commands.flatMap(each => describe(each, names))
  return [`## ${names.join(' ')}\n\n\`\`\`text\n${helpOf(command).trimEnd()}\n\`\`\`\n`, ...below]
}

/**
 * `outputHelp` adds what --help prints behind the options, and a fixed width makes it the same everywhere.
 *
 * @param {Command} command
 */
function helpOf (command) {
  let text = ''
  command.configureOutput({ writeOut (part) { text += part }, getOutHelpWidth: () => 100, getOutHasColors: () => false })
  command.outputHelp()
  return text
}

module.exports = { renderCommandLine }
