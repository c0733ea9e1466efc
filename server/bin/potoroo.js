#!/usr/bin/env node
'use strict'

const { createCommand } = require('../lib/cli')

createCommand().parseAsync(process.argv).catch(error => {
  process.stderr.write(`potoroo: ${error.message}\n`)
  process.exitCode = 1
})
