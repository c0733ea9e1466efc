#!/usr/bin/env node
'use strict'

const { createCommand } = require('../lib/commands/cli')

// All that it writes is data, or made of it: nobody but the owner may read it.
process.umask(0o077)

createCommand().parseAsync(process.argv).catch(error => {
  process.stderr.write(`potoroo: ${error.message}\n`)
  process.exitCode = 1
})
