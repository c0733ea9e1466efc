#!/usr/bin/env node
'use strict'

const fs = require('node:fs')
const { topCosts } = require('../lib/report/top-costs')
const { readOptions } = require('../lib/run/command-line')

// node perf/bin/costs.js FILE.cpuprofile… prints where each profile's time went.
for (const file of readOptions({ allowPositionals: true }).positionals) {
  const { busy, functions, parts } = topCosts(JSON.parse(fs.readFileSync(file, 'utf8')))
  const lines = (costs, count) => costs.slice(0, count)
    .map(({ name, share }) => `${(share * 100).toFixed(1).padStart(6)} %  ${name}`)
  console.log([`${file}: ${(busy / 1e6).toFixed(2)} s`, ...lines(parts, 12), '  by function', ...lines(functions, 25), ''].join('\n'))
}
