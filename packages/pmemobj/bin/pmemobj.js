#!/usr/bin/env node
'use strict'

const { run } = require('../lib/cli')

run(process.argv.slice(2))
