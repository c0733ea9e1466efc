'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { defaults } = require('../../../server/lib/config/defaults')
const { fault } = require('../../../server/lib/config/checks')

const SOURCE = path.join(__dirname, '../../../server/README.md')

const HEAD = `# Configuration

<!-- Made by \`npm run docs\` from server/lib/config and the table in server/README.md. Edit these, not this page. -->

Settings are in \`potoroo.ini\` in the data folder, in CouchDB's form:

\`\`\`ini
[chttpd]
port = 5985
\`\`\`

An administrator also reads and changes them over HTTP, and most hold at once:

\`\`\`sh
curl -X PUT http://anna:secret@127.0.0.1:5984/_node/_local/_config/log/level -d '"notice"'
\`\`\`

A value that makes no sense is refused over HTTP; in the file, the default holds instead.

The commands also take every setting from the environment, where it goes before the file:
\`POTOROO_<SECTION>__<KEY>\`, as \`POTOROO_CHTTPD__PORT=5985\`, or \`POTOROO_<SECTION>__<KEY>_FILE\` for a file that
holds it. [More about that](../../server/README.md#the-environment).

[The server's README](../../server/README.md#configuration) says more about single settings.
`

/** @typedef {{ section: string, keys: string[], text: string }} Row a row of the README's table */

/** @returns {Row[]} */
function readRows () {
  const table = /^\| section \| key \| default \| what \|\n\| --- .*\n((?:\|.*\n)+)/m.exec(fs.readFileSync(SOURCE, 'utf8'))
  if (table === null) throw new Error('server/README.md has no table of settings')
  return table[1].trimEnd().split('\n').map(line => {
    const [section, keys, , ...text] = line.slice(1, -1).split(/(?<!\\)\|/).map(cell => cell.trim())
    return { section, keys: keys.split(/, /), text: linked(text.join('|')) }
  })
}

/**
 * Places of the README, as they are called from here.
 *
 * @param {string} text
 */
function linked (text) {
  return text.replaceAll('](#', '](../../server/README.md#').replace(/see below$/, "see [the server's README](../../server/README.md#configuration)")
}

/** @returns {string[]} settings with a default that no row is about */
function undescribed () {
  const rows = readRows()
  return Object.entries(defaults).flatMap(([section, values]) => Object.keys(values)
    .filter(key => !rows.some(row => row.section === section && (row.keys.includes(key) || row.keys[0] === '*name*')))
    .map(key => `[${section}] ${key}`))
}

/** @returns {string} docs/reference/configuration.md */
function renderConfiguration () {
  const rows = readRows()
  const sections = [...new Set(rows.map(row => row.section))].sort()
  return [HEAD, ...sections.map(section => {
    const lines = rows.filter(row => row.section === section).flatMap(row => row.keys.map((key, index) => lineOf(section, key, index === 0 ? row.text : `see \`${row.keys[0]}\``)))
    return `## ${section}\n\n| setting | default | takes | meaning |\n| --- | --- | --- | --- |\n${lines.join('\n')}\n`
  })].join('\n')
}

/** @param {string} section @param {string} key @param {string} text */
function lineOf (section, key, text) {
  const standard = Object.hasOwn(defaults, section) && Object.hasOwn(defaults[section], key) ? defaults[section][key] : undefined
  const name = /^[a-z]/i.test(key) ? `\`${key}\`` : key
  return `| ${name} | ${standard ? `\`${standard}\`` : ''} | ${takes(section, key)} | ${text} |`
}

/**
 * Says what a setting takes, in the words of its check for a value that it refuses.
 *
 * @param {string} section
 * @param {string} key
 */
function takes (section, key) {
  const wrong = /^[a-zA-Z_-]+$/.test(key) ? fault(section, key, '\u0000') : null
  if (wrong === null) return ''
  return wrong.slice(`[${section}] ${key} `.length).replace(/^must be /, '')
}

module.exports = { readRows, renderConfiguration, undescribed }
