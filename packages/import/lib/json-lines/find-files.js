'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { readHeader } = require('./check')
const { ExportSource } = require('./source')

const ENDING = '.jsonl'

/**
 * The exports at a place: a file, or a folder of files.
 *
 * @param {string} place
 * @returns {Promise<import('../..').Found['databases']>} none where it is neither
 */
async function findExports (place) {
  if (!fs.existsSync(place)) return []
  const names = fs.statSync(place).isDirectory() ? fs.readdirSync(place).filter(name => name.endsWith(ENDING)).sort().map(name => path.join(place, name)) : [place]
  return Promise.all(names.map(async file => ({ name: (await readHeader(file)).name, label: file, open: () => ExportSource.open(file) })))
}

/** @param {string} name of a database, which may hold slashes */
function fileNameOf (name) { return encodeURIComponent(name) + ENDING }

module.exports = { fileNameOf, findExports }
