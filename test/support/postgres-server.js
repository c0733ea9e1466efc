'use strict'

const { execFileSync, spawn } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { findPostgres } = require('../../scripts/lib/system-packages')
const { freePort } = require('./free-port')

/** For tests that cut no power. */
const SETTINGS = { fsync: 'off', full_page_writes: 'off', max_connections: '300', shared_buffers: '64MB', autovacuum: 'on', log_min_messages: 'log' }

/**
 * A PostgreSQL with a folder and a port of its own. It ends with the process that has started it, in
 * whatever way that one ends. PostgreSQL refuses to run as root: the user `postgres` runs it then.
 */
class PostgresServer {
  #folder
  #settings
  #port
  #binaries
  /** @type {import('node:child_process').ChildProcess | null} */
  #child = null
  #log = ''
  /** @type {() => void} */
  #removeAtExit

  /** @param {string} folder @param {number} port @param {Record<string, string>} settings @param {string} binaries */
  constructor (folder, port, settings, binaries) {
    this.#folder = folder
    this.#port = port
    this.#settings = { ...SETTINGS, ...settings }
    this.#binaries = binaries
    this.#removeAtExit = () => fs.rmSync(folder, { recursive: true, force: true })
    process.once('exit', this.#removeAtExit)
  }

  /**
   * @param {{ settings?: Record<string, string> }} [options] lines of postgresql.conf
   * @returns {Promise<PostgresServer>}
   */
  static async start ({ settings = {} } = {}) {
    const binaries = findPostgres()
    if (binaries === null) throw new Error('There is no PostgreSQL here: scripts/setup --test installs it')
    const server = new PostgresServer(makeFolder(), await freePort(), settings, binaries)
    const words = ['-D', server.data, '-A', 'trust', '-U', 'postgres', '-E', 'UTF8', '--locale=C', '--no-sync', '--no-instructions']
    server.#execute('initdb', words)
    await server.resume()
    return server
  }

  /**
   * A standby that follows a running server by streaming.
   *
   * @param {PostgresServer} primary
   * @param {{ settings?: Record<string, string> }} [options]
   */
  static async follow (primary, { settings = {} } = {}) {
    const server = new PostgresServer(makeFolder(), await freePort(), settings, primary.#binaries)
    server.#execute('pg_basebackup', ['-D', server.data, '-d', primary.url, '-R', '-X', 'stream', '--no-sync', '-c', 'fast'])
    await server.resume()
    return server
  }

  get data () { return path.join(this.#folder, 'data') }
  get port () { return this.#port }
  get pid () { return this.#child?.pid }
  /** By TCP. */
  get url () { return `postgres://postgres@127.0.0.1:${this.#port}/postgres` }
  /** By its Unix socket. */
  get socketUrl () { return `postgres://postgres@/postgres?host=${encodeURIComponent(this.#folder)}&port=${this.#port}` }
  /** Its log. */
  get log () { return this.#log }

  /** Starts it again, and waits until it takes connections. */
  async resume () {
    const all = { ...this.#settings, port: String(this.#port), listen_addresses: '127.0.0.1', unix_socket_directories: this.#folder }
    const words = ['-D', this.data, ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])]
    const [command, ...rest] = asPostgres([path.join(this.#binaries, 'postgres'), ...words])
    const child = spawn(command, rest, { stdio: ['ignore', 'ignore', 'pipe'], cwd: this.#folder })
    this.#child = child
    const from = this.#log.length
    child.stderr.setEncoding('utf8').on('data', text => { this.#log += text })
    while (!/ready to accept (read-only )?connections/.test(this.#log.slice(from))) {
      if (child.exitCode !== null || child.signalCode !== null) throw new Error(`PostgreSQL ended:\n${this.#log.slice(from)}`)
      await Promise.race([once(child.stderr, 'data'), once(child, 'exit')])
    }
  }

  /**
   * Stops the process and leaves the folder.
   *
   * @param {'SIGTERM' | 'SIGINT' | 'SIGQUIT'} [signal] PostgreSQL's smart, fast, or immediate shutdown
   */
  async halt (signal = 'SIGINT') {
    const child = this.#child
    this.#child = null
    if (child === null || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill(signal)
    await ended
  }

  /** A standby becomes a server of its own. */
  promote () {
    this.#execute('pg_ctl', ['-D', this.data, 'promote', '-w'])
  }

  /** Asks the server with psql. @param {string} sql @returns {string} rows, with | between columns */
  query (sql) {
    return this.#execute('psql', ['-X', '-q', '-A', '-t', '-v', 'ON_ERROR_STOP=1', '-d', this.url, '-c', sql]).trim()
  }

  /** Ends it and removes all that it has. */
  async stop () {
    await this.halt('SIGQUIT')
    process.removeListener('exit', this.#removeAtExit)
    this.#removeAtExit()
  }

  /** @param {string} program @param {string[]} words */
  #execute (program, words) {
    const [command, ...rest] = asPostgres([path.join(this.#binaries, program), ...words])
    return execFileSync(command, rest, { encoding: 'utf8', cwd: this.#folder, stdio: ['ignore', 'pipe', 'pipe'] })
  }
}

function isRoot () { return process.getuid?.() === 0 }

/** The folder for temporary files may be root's alone, and then PostgreSQL's user would not get in. */
function makeFolder () {
  const folder = fs.mkdtempSync(path.join(isRoot() ? '/tmp' : os.tmpdir(), 'potoroo-postgres-'))
  if (isRoot()) execFileSync('chown', ['postgres:postgres', folder])
  return folder
}

/**
 * The words that run a command as PostgreSQL's user; it ends when this process does.
 *
 * @param {string[]} command
 */
function asPostgres (command) {
  const user = isRoot() ? ['--reuid', 'postgres', '--regid', 'postgres', '--clear-groups'] : []
  return ['setpriv', '--pdeathsig', 'SIGQUIT', ...user, '--', ...command]
}

module.exports = { PostgresServer }
