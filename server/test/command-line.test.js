'use strict'

const assert = require('node:assert')
const { execFileSync } = require('node:child_process')
const path = require('node:path')
const { createCommand } = require('../lib/commands/cli')

const program = path.join(__dirname, '../bin/potoroo.js')

/** Commands and theirs, none of which ends the process. */
function each (command, written) {
  command.exitOverride().configureOutput({ writeOut: text => { written.push(text) }, writeErr: text => { written.push(text) } })
  for (const below of command.commands) each(below, written)
  return command
}

/** The output for words that are refused, or for `--help`. */
async function said (...words) {
  const written = []
  await assert.rejects(each(createCommand(), written).parseAsync(words, { from: 'user' }), error => /^commander\./.test(error.code))
  return written.join('')
}

describe('the command line', () => {
  /** The commands for folders and for servers. */
  const both = [['backup', 'file'], ['check'], ['compact'], ['user', 'list'], ['export', '--to', 'place'], ['import', 'source']]
  const url = 'http://127.0.0.1:1'

  it('names a server by --server in every command', async () => {
    for (const [command, ...words] of both) {
      const help = await said(command, ...command === 'user' ? words : [], '--help')
      assert.match(help, /--server <url> +a server that runs, in place of a folder/)
      assert.doesNotMatch(help, /--(online|from)\b|--to <url>/)
    }
  })

  it('has a server, or a reason to have none, for each command, and completes all of them', async () => {
    // These are of files that no server hands out, and of servers that do not run.
    const local = ['serve', 'init', 'doctor', 'logs', 'restore', 'rotate-key', 'routes', 'salvage', 'completion', 'help']
    const [, list] = (await said('--help')).split('\nCommands:\n')
    const names = [...list.matchAll(/^ {2}([a-z][\w-]*)/gm)].map(([, name]) => name)
    const without = []
    for (const name of names) if (!(await said(name, ...name === 'user' ? ['list'] : [], '--help')).includes('--server <url>')) without.push(name)
    assert.deepStrictEqual(without, local.filter(name => names.includes(name)))
    for (const shell of ['bash', 'zsh', 'fish']) {
      const script = execFileSync(process.execPath, [program, 'completion', shell], { encoding: 'utf8' })
      assert.deepStrictEqual(names.filter(name => name !== 'help' && !new RegExp(`(?<![\\w-])${name}(?![\\w-])`).test(script)), [], shell)
    }
  })

  it('says that potoroo alone serves', async () => {
    assert.match((await said('--help')).replace(/\s+/g, ' '), /serve \[options\] answer requests until SIGINT or SIGTERM; potoroo alone does the same/)
  })

  it('takes sizes of pools with units, and none that a pool cannot have', async () => {
    const { parseSize } = require('../lib/commands/size')
    assert.deepStrictEqual(['0', '64M', '64 MiB', '1.5G', '500MB', '8388608'].map(parseSize), [0, 2 ** 26, 2 ** 26, 1.5 * 2 ** 30, 5e8, 2 ** 23])
    for (const size of ['5', '1K', '8000000', '1K/5', 'much', '']) assert.match(await said('serve', '--size', size), /The size (of a pool )?must be .*such as '?64M/)
  })

  it('takes a folder or a server, and not both', async () => {
    for (const words of both) assert.match(await said(...words, '--server', url, '--data', 'x'), /^error: option '--server <url>' cannot be used with option '--data <folder>'$/m)
    for (const [words, alias] of [[['check'], '--online'], [['export', '--to', 'place'], '--from'], [['import', 'source'], '--to']]) {
      assert.match(await said(...words, alias, url, '--data', 'x'), /cannot be used with option '--data <folder>'$/m)
    }
  })
})
