'use strict'

// `npx lerna version` runs this between the new versions and its commit: the entries that wait in CHANGELOG.md get
// the version and the day.

const fs = require('node:fs')
const path = require('node:path')
const { root } = require('./lib/node-modules')

const file = path.join(root, 'CHANGELOG.md')
const { version } = JSON.parse(fs.readFileSync(path.join(root, 'lerna.json'), 'utf8'))

/** `## 0.1.0 - unreleased`, whatever version was expected. */
const WAITING = /^## .* - unreleased$/m

const text = fs.readFileSync(file, 'utf8')
if (!WAITING.test(text)) throw new Error('CHANGELOG.md has no section that is unreleased.')
fs.writeFileSync(file, text.replace(WAITING, `## ${version} - ${new Date().toISOString().slice(0, 10)}`))
