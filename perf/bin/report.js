#!/usr/bin/env node
'use strict'

// `node perf/bin/report.js`: writes docs/benchmarks.md, the charts, and the tables of README.md and docs/scale-out.md
// from the figures in perf/results/published. With --check it writes nothing, and fails where one differs.

const fs = require('node:fs')
const path = require('node:path')
const { makeFiles } = require('../lib/published/files')
const { readOptions } = require('../lib/run/command-line')

const root = path.join(__dirname, '../..')
const { values: { check } } = readOptions({ options: { check: { type: 'boolean', default: false } } })

const files = makeFiles(name => fs.readFileSync(path.join(root, name), 'utf8'))
for (const [name, content] of Object.entries(files)) {
  const file = path.join(root, name)
  if (fs.existsSync(file) && fs.readFileSync(file, 'utf8') === content) continue
  console.log(check ? `${name} is out of date` : `${name} written`)
  if (check) process.exitCode = 1
  else {
    fs.mkdirSync(path.dirname(file), { recursive: true })
    fs.writeFileSync(file, content)
  }
}
