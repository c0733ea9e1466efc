'use strict'

// `npm run lint:words`: sentences of comments and Markdown that begin without a subject, and words of
// old. It lists those of the folders that are clean, and fails; of other folders it prints a count.
// `node scripts/words.js FOLDER…` lists those of some folders.

const fs = require('node:fs')
const path = require('node:path')
const { findings } = require('./lib/words/check')

const root = path.join(__dirname, '..')

/** Folders and files that have no findings, and keep none. */
const CLEAN = [
  'README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CODE_OF_CONDUCT.md', 'UPGRADING.md', '.github',
  'adapters', 'docs', 'packages', 'perf', 'scripts', 'server', 'test', 'types'
]

/** Pages that are made of others' texts. */
const MADE = /^docs\/(reference|charts)\//

/** @param {string} name of a file or a folder, relative to the root @returns {string[]} */
function filesOf (name) {
  const place = path.join(root, name)
  if (!fs.statSync(place).isDirectory()) return [name]
  return fs.readdirSync(place).filter(each => !['node_modules', 'build', 'fixtures'].includes(each)).sort()
    .flatMap(each => filesOf(`${name}/${each}`)).filter(file => /\.(js|ts|cc|h|md)$/.test(file) && !MADE.test(file))
}

/** @param {string} name @returns {string[]} a line for each finding */
function listOf (name) {
  return filesOf(name).flatMap(file => findings(file, fs.readFileSync(path.join(root, file), 'utf8'))
    .map(({ line, found, advice }) => `${file}:${line}: ${found} (${advice})`))
}

const asked = process.argv.slice(2)
const wrong = (asked.length > 0 ? asked : CLEAN).flatMap(listOf)
for (const line of wrong) console.log(line)
if (wrong.length > 0) process.exitCode = 1
