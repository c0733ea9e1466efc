'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { Connection } = require('../commands/connection')
const { configOf, localServer } = require('../commands/local-server')
const { settingFaults } = require('../config/setting-faults')

/** @typedef {import('./examine').Finding} Finding @typedef {import('./examine').Patient} Patient */

/** @param {Patient} patient @returns {Finding[]} */
function file ({ folder }) {
  const ini = path.join(folder, 'potoroo.ini')
  const faults = faultsOf(folder)
  if (faults.length > 0) return faults.map(found => ({ name: 'settings', state: found.startsWith('[') ? 'warning' : 'problem', found, mend: `edit ${ini}` }))
  return [{ name: 'settings', state: 'ok', found: fs.existsSync(ini) ? ini : 'the defaults: potoroo init writes a file of them' }]
}

/** @param {string} folder @returns {string[]} */
function faultsOf (folder) {
  try {
    return settingFaults(configOf(folder).inFile())
  } catch (error) {
    return [error.message]
  }
}

/** @param {Patient} patient @returns {Finding} */
function administrator ({ folder }) {
  const names = Object.keys(safely(() => configOf(folder).texts('admins')) ?? {})
  if (names.length > 0) return { name: 'administrators', state: 'ok', found: names.join(', ') }
  return { name: 'administrators', state: 'ok', found: 'none in potoroo.ini: the first start makes one, and prints the password' }
}

/** @param {Patient} patient @returns {Promise<Finding>} */
async function server ({ folder }) {
  const url = safely(() => localServer(folder))
  if (url === undefined) return { name: 'server', state: 'ok', found: 'it has no address that can be asked' }
  try {
    const connection = await Connection.open({ server: url, data: folder })
    const { status, body } = await connection.ask('GET', '/_up', undefined, AbortSignal.timeout(5000))
    if (status === 200) return { name: 'server', state: 'ok', found: `one answers at ${url}` }
    return { name: 'server', state: 'problem', found: `the one at ${url} says ${status} ${body?.status ?? ''}: ${body?.reason ?? ''}`, mend: 'potoroo status says more' }
  } catch {
    return { name: 'server', state: 'ok', found: `none answers at ${url}` }
  }
}

/** Returns undefined where it throws: `file` tells why. @template T @param {() => T} read */
function safely (read) {
  try {
    return read()
  } catch {
    return undefined
  }
}

module.exports = { administrator, file, server }
