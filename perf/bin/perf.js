#!/usr/bin/env node
'use strict'

const { main } = require('../lib/run/main')

main(process.argv.slice(2)).catch((error) => {
  console.error(error)
  process.exitCode = 1
})
