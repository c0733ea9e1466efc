'use strict'

// `npm run docs`: writes the pages of docs/ that are made of code. With --check it writes nothing, and
// fails if one differs.

const fs = require('node:fs')
const path = require('node:path')
const { makeReference } = require('./lib/docs/files')

const root = path.join(__dirname, '..')
const check = process.argv.includes('--check')

for (const [name, content] of Object.entries(makeReference())) {
  const file = path.join(root, name)
  if (fs.existsSync(file) && fs.readFileSync(file, 'utf8') === content) continue
  console.log(check ? `${name} is out of date` : `${name} written`)
  if (check) process.exitCode = 1
  else fs.writeFileSync(file, content)
}
