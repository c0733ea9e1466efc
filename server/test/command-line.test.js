'use strict'

const assert = require('node:assert')
const { createCommand } = require('../lib/cli')

/** Commands and theirs, none of which ends the process. */
function each (command, written) {
  command.exitOverride().configureOutput({ writeOut: text => { written.push(text) }, writeErr: text => { written.push(text) } })
  for (const below of command.commands) each(below, written)
  return command
}

/** What is said of words that are refused, or of `--help`. */
async function said (...words) {
  const written = []
  await assert.rejects(each(createCommand(), written).parseAsync(words, { from: 'user' }), error => /^commander\./.test(error.code))
  return written.join('')
}

describe('the command line', () => {
  /** What works on folders and on servers. */
  const both = [['backup', 'file'], ['check'], ['compact'], ['user', 'list'], ['export', '--to', 'place'], ['import', 'source']]
  const url = 'http://127.0.0.1:1'

  it('names a server by --server in every command', async () => {
    for (const [command, ...words] of both) {
      const help = await said(command, ...command === 'user' ? words : [], '--help')
      assert.match(help, /--server <url> +a server that runs, in place of a folder/)
      assert.doesNotMatch(help, /--(online|from)\b|--to <url>/)
    }
  })

  it('takes a folder or a server, and not both', async () => {
    for (const words of both) assert.match(await said(...words, '--server', url, '--data', 'x'), /^error: option '--server <url>' cannot be used with option '--data <folder>'$/m)
    for (const [words, alias] of [[['check'], '--online'], [['export', '--to', 'place'], '--from'], [['import', 'source'], '--to']]) {
      assert.match(await said(...words, alias, url, '--data', 'x'), /cannot be used with option '--data <folder>'$/m)
    }
  })
})
