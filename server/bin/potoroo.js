#!/usr/bin/env node
'use strict'

const [major, minor] = process.versions.node.split('.').map(Number)
// Older ones fail somewhere inside, in words of their own.
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(`potoroo: Node.js 20.19 or later is needed, and this is ${process.versions.node}: install a newer one.\n`)
  process.exit(1)
}

// Else the first one that is needed ends it, with a stack.
if (/(^|\s)--no-addons(\s|$)/.test([...process.execArgv, process.env.NODE_OPTIONS].join(' '))) {
  process.stderr.write('potoroo: this Node.js loads no addons, and Potoroo needs them: start it without --no-addons, which may be in NODE_OPTIONS.\n')
  process.exit(1)
}

const { createCommand } = require('../lib/commands/cli')

// All that it writes is data, or made of it: nobody but the owner may read it.
process.umask(0o077)

createCommand().parseAsync(process.argv).catch(error => {
  process.stderr.write(`potoroo: ${error.message}\n`)
  process.exitCode = 1
})
