'use strict'

const { readFileSync } = require('node:fs')
const path = require('node:path')

const file = path.join(__dirname, '../../../docs/differences.md')

/** The first cells of the tables of docs/differences.md. @returns {Set<string>} */
function documented () {
  const rows = readFileSync(file, 'utf8').split('\n').filter(line => line.startsWith('| ') && !line.startsWith('| --- '))
  return new Set(rows.map(line => line.split(' | ')[0].slice(2)))
}

module.exports = { documented }
