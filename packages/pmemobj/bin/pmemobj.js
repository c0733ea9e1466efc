#!/usr/bin/env node
'use strict'

const { run } = require('../lib/commands/cli')

run(process.argv.slice(2))
