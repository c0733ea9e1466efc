'use strict'

const { spawnSync } = require('node:child_process')
const { poolFault } = require('@potoroo/storage')
const { sandboxFault } = require('../indexes/query-server')
const { version, engines } = require('../../package.json')

/** @typedef {import('./examine').Finding} Finding */

/** A clock that shows an earlier time was never set. */
const WRITTEN = Date.UTC(2025, 0, 1)

/** @returns {Finding} */
function versions () {
  const least = engines.node.replace(/[^\d.]/g, '')
  const found = `Potoroo ${version}, Node.js ${process.versions.node}, ${process.platform} ${process.arch}`
  if (isBefore(process.versions.node, least)) return { name: 'versions', state: 'problem', found, mend: `install Node.js ${least} or later` }
  return { name: 'versions', state: 'ok', found }
}

/** @param {string} one @param {string} other */
function isBefore (one, other) {
  const [a, b] = [one, other].map(text => text.split('.').map(Number))
  const at = a.findIndex((number, index) => number !== b[index])
  return at !== -1 && a[at] < b[at]
}

/** @returns {Finding[]} */
function addons () {
  return [pool(), collation(), ...sandbox()]
}

/** @returns {Finding} */
function pool () {
  const fault = poolFault()
  if (fault === null) return { name: 'persistent memory', state: 'ok', found: 'its addon loads' }
  return { name: 'persistent memory', state: 'warning', found: `its addon does not load: ${fault}`, mend: 'get the addon as docs/how-to/install.md says. Until then new databases are in LevelDB, and pools do not open' }
}

/** @returns {Finding} */
function collation () {
  const { collator } = require('@potoroo/collation')
  if (collator !== null) return { name: 'collation', state: 'ok', found: `ICU ${collator.libraryVersion}` }
  return { name: 'collation', state: 'warning', found: 'keys of views are ordered by code unit, and not as in CouchDB', mend: 'get its addon as docs/how-to/install.md says' }
}

/** @returns {Finding[]} */
function sandbox () {
  const found = sandboxFault()
  return found === null ? [] : [{ name: 'sandbox', state: 'warning', found, mend: 'start it without --jitless, which may be in NODE_OPTIONS' }]
}

/** @returns {Finding} */
function clock () {
  const now = new Date()
  const found = now.toISOString()
  if (now.getTime() < WRITTEN) return { name: 'clock', state: 'problem', found, mend: 'set the clock: sessions, tokens and certificates go by it' }
  const { status, stdout } = spawnSync('timedatectl', ['show', '--property', 'NTPSynchronized', '--value'], { encoding: 'utf8', timeout: 5000 })
  if (status === 0 && stdout.trim() === 'no') return { name: 'clock', state: 'warning', found: `${found}, not synchronized`, mend: 'timedatectl set-ntp true' }
  return { name: 'clock', state: 'ok', found }
}

module.exports = { addons, clock, versions }
