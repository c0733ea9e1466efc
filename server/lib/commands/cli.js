'use strict'

const path = require('node:path')
const { Command, InvalidArgumentError, Option } = require('commander')
const { version } = require('../../package.json')
const { heldSettings } = require('../config/environment')
const addBackup = require('./backup')
const addCheck = require('./check')
const addCompact = require('./compact')
const addCompletion = require('./completion')
const addDoctor = require('./doctor')
const addExport = require('./export')
const { environmentHook } = require('./environment-options')
const { firstAdmin } = require('./first-admin')
const addInit = require('./init')
const addLogs = require('./logs')
const addRestore = require('./restore')
const addRotateKey = require('./rotate-key')
const addRoutes = require('./routes')
const addSalvage = require('./salvage')
const addStatus = require('./status')
const { withServer } = require('./server-option')
const { parseSize } = require('./size')
const { isPostgres, nameOf, withStorage } = require('./storage-option')
const addUser = require('./user')
const { describeInWords } = require('../storage/open-storage')
const { importError, startError } = require('./start-error')
const { RestartingServer } = require('../start/restarting-server')
const { LEVELS } = require('../log/log')

/** The command line: `potoroo serve …`, and what is done with data folders and servers: see commands/. */
function createCommand () {
  const program = new Command('potoroo').description('A CouchDB-compatible database in persistent memory').version(version)
  // A word that is no command is no argument of the default one either.
  program.hook('preSubcommand', (_, command) => {
    const [word] = program.args
    if (word !== command.name() && !word?.startsWith('-') && word !== undefined) /** @type {any} */ (program).unknownCommand()
  })
  program.hook('preAction', environmentHook())
  withStorage(program.command('serve', { isDefault: true }), 'what the databases live in', { memory: true })
    .description('answer requests until SIGINT or SIGTERM; potoroo alone does the same, with the same options')
    .option('--port <number>', 'port to listen on (default: [chttpd] port of potoroo.ini, 5984)', port)
    .option('--host <address>', 'address to listen on (default: [chttpd] bind_address, 127.0.0.1)')
    .option('--socket <path>', 'listen on this Unix socket, too')
    .option('--tls-cert <file>', 'answer HTTPS and HTTP/2 with this certificate, too (default: [ssl] of potoroo.ini)')
    .option('--tls-key <file>', 'its key')
    .option('--workers <number>', 'serve HTTP from so many threads, or auto, on the storage pmem (default: [chttpd] workers, auto)', workers)
    .option('--data <folder>', 'where databases and configuration are', 'potoroo-data')
    .option('--size <bytes>', 'size of a new pool, such as 64M or 1.5G', parseSize)
    .option('--allow-volatile', 'take a pool on a file system that forgets (tmpfs)')
    .addOption(new Option('--durability <level>', 'off persistent memory: strict waits for the disk, relaxed may lose the last second to a power cut').choices(['strict', 'relaxed']).default('strict'))
    .option('--admin <name:password>', 'make this administrator; others on this machine can see it: POTOROO_ADMIN=name:password in the environment does the same')
    .addOption(new Option('--admin-file <file>', 'the same, of a file of one line, name:password, that nobody else may read').conflicts('admin'))
    .option('--admin-party', 'everybody is an administrator; only on a loopback address')
    .addOption(new Option('--log-level <level>', 'what to log; notice logs every request').choices(LEVELS))
    .configureOutput({ outputError: (text, write) => { write(text + hintOfNpm(text)) } })
    .action(run)
  addImport(program)
  for (const add of [addInit, addStatus, addDoctor, addLogs, addBackup, addRestore, addCheck, addCompact, addExport, addRotateKey, addRoutes, addSalvage, addUser, addCompletion]) add(program)
  return program
}

/** @param {Command} program */
function addImport (program) {
  withStorage(withServer(program.command('import'), { alias: 'to' }), 'what the databases live in', { postgres: 'Import into PostgreSQL by a server that runs on it, with --server.' })
    .description('bring databases over from PouchDB (folders of LevelDB, or of pouchdb-adapter-pmem), CouchDB (URLs) or potoroo export (files), or go on with that')
    .argument('<source>', "a folder of PouchDB's LevelDB or of pouchdb-adapter-pmem, a folder of several, the URL of a database or of a whole server: http://name:password@host:5984/todos, or a file of potoroo export, or a folder of those")
    .argument('[database]', 'its name here (default: as in the source)')
    .option('--data <folder>', 'the data folder of a server that is not running', 'potoroo-data')
    .option('--size <bytes>', 'size of a new pool, such as 64M or 1.5G', parseSize)
    .option('--allow-volatile', 'take a pool on a file system that forgets (tmpfs)')
    .option('--key-file <file>', 'the key of pools in the source that are encrypted: 32 bytes, or 64 hexadecimal digits')
    .option('--access-by-database', 'make one database with access by document of databases of several users: each document gets the names and roles that its database lets in; [database] is its name')
    .option('--databases <pattern>', 'those that become one, * for any characters (default: userdb-*, as couch_peruser names them)')
    .option('--prefix-ids', "of documents that become those of one database: begin their ids with the user's name and a colon, or the database's name")
    .option('--design-documents-of <database>', 'bring the design documents of this one of them, for all; else none come over')
    .option('--verify', 'bring nothing over; compare what is there with the source')
    .option('--dry-run', 'bring nothing over; list the databases')
    .option('--open', 'leave databases open that everybody may read in the source; else only administrators get in')
    .option('--take-uuid', "give this server the source server's uuid, so that PouchDB in browsers goes on with its replications")
    .action(importDatabases)
}

/** @param {string} source @param {string | undefined} database @param {any} options */
async function importDatabases (source, database, options) {
  // Servers do not load what only an import needs.
  const { runImport } = require('../import/run-import')
  const folder = path.resolve(options.data)
  const stop = new AbortController()
  once(['SIGINT', 'SIGTERM'], () => stop.abort())
  try {
    const streams = { stdout: process.stdout, stderr: process.stderr }
    process.exitCode = await runImport({ ...options, source, database, folder, signal: stop.signal, ...streams })
  } catch (error) {
    if (stop.signal.aborted) throw new Error('stopped; the same command goes on from here', { cause: error })
    throw importError(error, { data: folder })
  }
}

/** Options that npm has kept for itself leave their values behind. @param {string} error */
function hintOfNpm (error) {
  const script = process.env.npm_lifecycle_event
  if (script === undefined || script === 'npx' || !/too many arguments/.test(error)) return ''
  return `With npm, options come behind --: npm ${script === 'start' ? '' : 'run '}${script} -- --port 6102\n`
}

/** @param {any} options */
async function run (options) {
  const admins = firstAdmin(options, options.environment)
  /** @type {{ name: string, password: string } | null} */
  let newAdmin = null
  /** @param {{ name: string, password: string }} made */
  const onFirstAdmin = made => { newAdmin = made }
  const server = new RestartingServer(({ port, onRestart }) => start({ ...options, admins, ...(options.port === 0 && port !== undefined && { port }), onRestart, onFirstAdmin }), {
    onRestart: again => { tell(announcement(again, null)) },
    onError (error) {
      process.stderr.write(`potoroo: ${error.stack}\n`)
      process.exit(1)
    }
  })
  const started = await server.started
  const stop = () => {
    // A second signal is for those who cannot wait.
    process.once('SIGINT', () => process.exit(130))
    process.once('SIGTERM', () => process.exit(143))
    server.close().then(() => process.exit(0), error => {
      process.stderr.write(`potoroo: ${error.stack}\n`)
      process.exit(1)
    })
  }
  once(['SIGINT', 'SIGTERM'], stop)
  process.on('SIGHUP', () => { server.reload() })
  // Whoever reads it may send a signal at once.
  tell(announcement(started, newAdmin))
}

/** @param {string[]} lines */
function tell (lines) { process.stdout.write(lines.map(line => `${line}\n`).join('')) }

/** @param {NodeJS.Signals[]} signals @param {() => void} listener */
function once (signals, listener) {
  const first = () => {
    for (const signal of signals) process.off(signal, first)
    listener()
  }
  for (const signal of signals) process.on(signal, first)
}

/** @param {any} options @returns {Promise<import('../..').Server>} */
async function start ({ data, admin, adminFile, admins, environment, adminParty, logLevel, ...options }) {
  const host = options.host ?? '127.0.0.1'
  if (adminParty && !/^(localhost|127\.\d+\.\d+\.\d+|::1)$/.test(host)) {
    throw new Error(`an admin party on ${host} would be open to everybody; --admin-party needs a loopback address`)
  }
  const held = structuredClone(heldSettings())
  const config = { ...held, log: { ...held.log, ...(logLevel && { level: logLevel }) } }
  try {
    // Nor may the ini file open a party to the world.
    if (adminParty) options.host = host
    // Other commands do not load the server.
    const { serve } = require('../start/serve')
    return await serve({ ...options, path: data, admins, adminParty, config })
  } catch (error) {
    throw startError(error, { data: isPostgres(options.storage) ? nameOf(options.storage) : path.resolve(data) })
  }
}

/** @param {any} server @param {{ name: string, password: string } | null} firstAdmin */
function announcement ({ urls, service }, firstAdmin) {
  const { folder, storage } = service
  const lines = [`Potoroo ${version} listens on ${urls.join(', ')}`, `data: ${folder}`, ...describeInWords(storage.describe())]
  if (firstAdmin !== null) {
    lines.push('', 'No administrator was configured, so one was made. The password is shown only now:', `  name:     ${firstAdmin.name}`, `  password: ${firstAdmin.password}`, '')
  }
  return lines
}

/** @param {string} text */
function port (text) {
  const number = Number(text)
  if (!/^\d+$/.test(text) || number > 65535) throw new InvalidArgumentError('It must be a number up to 65535.')
  return number
}

/** @param {string} text */
function workers (text) {
  if (text === 'auto') return text
  if (!/^[1-9]\d{0,2}$/.test(text)) throw new InvalidArgumentError('It must be a number from 1 to 999, or auto.')
  return Number(text)
}

module.exports = { createCommand }
