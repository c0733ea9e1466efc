'use strict'

const path = require('node:path')

/**
 * Returns the words by which the shell that ran this program runs it again: a clone has no command of its own in the
 * PATH, and npx has one for as long as it runs.
 *
 * @param {string} [program] as it was called
 * @param {NodeJS.ProcessEnv} [env]
 */
function ownCommand (program = process.argv[1], env = process.env) {
  const name = path.basename(program)
  if (env.npm_command === 'exec') return `npx ${name}`
  if ((env.PATH ?? '').split(path.delimiter).includes(path.dirname(program))) return name
  const way = quoted(path.relative('', program))
  return name.endsWith('.js') ? `node ${way}` : way
}

/** A word of a shell. @param {string} text */
function quoted (text) { return /^[\w./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'` }

module.exports = { ownCommand, quoted }
