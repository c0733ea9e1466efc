'use strict'

const path = require('node:path')
const { escapeControls } = require('../log/safe-text')
const { duration, size } = require('../import/words')
const { describeInWords } = require('../storage/open-storage')
const { Connection } = require('./connection')
const { withCredentials } = require('./credentials')
const { localServer } = require('./local-server')
const { runTask } = require('./task')

/** @typedef {import('commander').Command} Command */

/** `potoroo status`: 0 it takes requests, 2 it does not take all, 1 it does not answer. */
module.exports = (/** @type {Command} */ program) => {
  program.command('status')
    .description('whether a server runs, what it is, and what it does')
    .option('--server <url>', 'the server: http://127.0.0.1:5984 (default: that of the data folder)')
    .option('--data <folder>', 'its data folder', 'potoroo-data')
    .option('--json', 'print it as JSON')
    .addHelpText('after', `
Storage, databases and tasks are told to administrators: see potoroo check --help for names and passwords.

Exit codes: 0, it takes requests; 2, it is full, failed, or under maintenance; 1, it does not answer.

Examples:
  $ potoroo status
  $ potoroo status --server https://db.example.com --json`)
    .action(options => {
      const data = path.resolve(options.data)
      return runTask({ data }, async signal => {
        const server = options.server ?? withCredentials(localServer(data), options.environment?.POTOROO_CREDENTIALS)
        const status = await ask(await Connection.open({ server, data }), signal)
        process.stdout.write(options.json ? `${JSON.stringify(status, null, 2)}\n` : inWords(status).map(line => `${line}\n`).join(''))
        return status.up.status === 'ok' ? 0 : 2
      })
    })
}

/** @typedef {{ server: string, version: string, couchdb: string, up: { status: string, reason?: string }, system?: any, databases?: number, tasks?: any[] }} Status */

/** @param {Connection} connection @param {AbortSignal} signal @returns {Promise<Status>} */
async function ask (connection, signal) {
  const welcome = await connection.demand('GET', '/', undefined, signal)
  const { body: up } = await connection.ask('GET', '/_up', undefined, signal)
  const plain = { server: connection.name, version: String(welcome.vendor?.version ?? welcome.version), couchdb: String(welcome.version), up }
  const system = await connection.ask('GET', '/_node/_local/_system', undefined, signal)
  if (system.status !== 200) return plain
  const databases = await connection.demand('GET', '/_all_dbs', undefined, signal)
  const tasks = await connection.demand('GET', '/_active_tasks', undefined, signal)
  return { ...plain, system: system.body, databases: databases.length, tasks }
}

/** A pool is as big as it has grown. @param {{ used: number, size: number, maxSize: number }} pool */
function inPool ({ used, size: now, maxSize }) {
  return `pool: ${size(used)} used of ${size(now)}${maxSize > now ? `, and it grows up to ${size(maxSize)}` : ''}`
}

/** @param {Status} status */
function inWords ({ server, version, couchdb, up, system, databases, tasks }) {
  const lines = [`${server}: Potoroo ${escapeControls(version)} (CouchDB ${escapeControls(couchdb)})`, `status: ${escapeControls(up.status)}${up.reason ? `, ${escapeControls(up.reason)}` : ''}`]
  if (system === undefined) return [...lines, 'more is told to administrators']
  const { uptime, memory, storage } = system
  lines.push(`up for: ${duration(uptime)}; memory: ${size(memory.other + memory.processes + memory.binary)}`, ...describeInWords(storage ?? {}))
  if (storage?.pool) lines.push(inPool(storage.pool))
  lines.push(`databases: ${databases}`, `tasks: ${tasks?.length ? '' : 'none'}`)
  for (const task of tasks ?? []) lines.push(`  ${escapeControls(`${task.type} ${task.database ?? task.source ?? ''} ${task.progress === undefined ? '' : `${task.progress} %`}`.trim())}`)
  return lines
}
