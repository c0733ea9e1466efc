'use strict'

const { execFile, spawn } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const path = require('node:path')
const { promisify } = require('node:util')
const { findPostgres } = require('../../../scripts/lib/system-packages')

const run = promisify(execFile)

/** The administrator of the engine, and the one that servers connect as: it has no rights that limits do not hold for. */
const ADMIN = 'postgres'
const USER = 'potoroo'
const DATABASE = 'potoroo'

/** PostgreSQL ends itself where it runs as root. */
const identity = process.getuid() === 0 ? userNamed('postgres') : {}

function userNamed (name) {
  const line = fs.readFileSync('/etc/passwd', 'utf8').split('\n').find(entry => entry.startsWith(`${name}:`))
  if (line === undefined) return {}
  const [, , uid, gid] = line.split(':')
  return { uid: Number(uid), gid: Number(gid) }
}

/** A PostgreSQL with a folder and a port of its own. */
class Postgres {
  #folder
  #port
  #child
  #log = ''
  /** @type {string | undefined} */
  #tablespace

  constructor (folder, port) {
    this.#folder = folder
    this.#port = port
  }

  /** @param {string} folder that is not there yet */
  static async create (folder, port, settings = {}) {
    const postgres = new Postgres(folder, port)
    await program('initdb', ['-D', folder, '-U', ADMIN, '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'])
    postgres.#configure(settings)
    await postgres.start()
    await postgres.sql(`CREATE ROLE ${USER} LOGIN`)
    return postgres
  }

  /** A standby that streams from another one. @param {Postgres} primary */
  static async standby (folder, port, primary) {
    const standby = new Postgres(folder, port)
    const places = primary.#tablespace === undefined ? [] : ['-T', `${primary.#tablespace}=${folder}-tablespace`]
    if (places.length > 0) standby.#tablespace = `${folder}-tablespace`
    await program('pg_basebackup', ['-D', folder, ...places, '-R', '-X', 'stream', '-c', 'fast', '--no-sync', '-d', `host=127.0.0.1 port=${primary.port} user=${ADMIN} application_name=standby`])
    standby.#configure({})
    await standby.start()
    return standby
  }

  get port () { return this.#port }

  get log () { return this.#log }

  /** @param {number} [port] of a proxy before it */
  urlOf (port = this.#port) { return `postgres://${USER}@127.0.0.1:${port}/${DATABASE}` }

  /** A database for the servers. @param {string} [tablespace] its folder */
  async createDatabase (tablespace) {
    if (tablespace !== undefined) {
      give(tablespace)
      this.#tablespace = tablespace
      await this.sql(`CREATE TABLESPACE small LOCATION '${tablespace}'`)
    }
    await this.sql(`CREATE DATABASE ${DATABASE} OWNER ${USER}${tablespace === undefined ? '' : ' TABLESPACE small'}`)
  }

  /** Waits until it takes connections. */
  async start () {
    // Processes that a kill left may hold the port for a moment.
    for (;;) {
      const words = [nameOf('postgres'), '-D', this.#folder, '-p', String(this.#port), '-k', this.#folder]
      // It does not outlive a test that is killed.
      const child = this.#child = spawn('setpriv', ['--pdeathsig', 'SIGQUIT', ...words], { ...identity, cwd: '/', stdio: ['ignore', 'ignore', 'pipe'] })
      if (await this.#ready(child)) return
    }
  }

  /** @returns {Promise<boolean>} false: it ended, as something of its former life was still there */
  async #ready (child) {
    let text = ''
    return new Promise((resolve, reject) => {
      child.stderr.setEncoding('utf8').on('data', piece => {
        text += piece
        this.#log = (this.#log + piece).slice(-100_000)
        if (/database system is ready to accept|recovery again|consistent recovery state/.test(text)) resolve(true)
      })
      child.once('error', reject)
      child.once('exit', () => /already in use|still in use|lock file/.test(text) ? resolve(false) : reject(new Error(`PostgreSQL ended:\n${text}`)))
    })
  }

  /** @param {string} text @param {{ database?: string }} [options] @returns {Promise<string>} rows, a line each */
  async sql (text, { database = 'postgres' } = {}) {
    const { stdout } = await program('psql', ['-h', '127.0.0.1', '-p', String(this.#port), '-U', ADMIN, '-d', database, '-X', '-A', '-t', '-q', '-v', 'ON_ERROR_STOP=1', '-c', text])
    return stdout.trim()
  }

  /** Takes a setting at once, for all sessions. @param {string} clause of `ALTER SYSTEM` */
  async alter (clause) {
    await this.sql(`ALTER SYSTEM ${clause}`)
    await this.sql('SELECT pg_reload_conf()')
  }

  /** Ends it as its administrator does: sessions are cut, nothing has to be recovered. */
  async stop () {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const ended = once(this.#child, 'exit')
    this.#child.kill('SIGINT')
    await ended
  }

  /** Kills all of its processes. */
  async kill () {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const ended = once(this.#child, 'exit')
    const children = childrenOf(this.#child.pid)
    for (const pid of [this.#child.pid, ...children]) signal(pid, 'SIGKILL')
    await ended
  }

  /** Every process stands still. @param {boolean} [stands] false: they go on */
  pause (stands = true) {
    for (const pid of [this.#child.pid, ...childrenOf(this.#child.pid)]) signal(pid, stands ? 'SIGSTOP' : 'SIGCONT')
  }

  #configure (settings) {
    // Processes are killed here, and power is not cut: what the system has is safe.
    const all = { listen_addresses: '127.0.0.1', fsync: 'off', max_connections: 120, shared_buffers: '64MB', max_wal_size: '256MB', wal_retrieve_retry_interval: '200ms', log_min_messages: 'warning', ...settings }
    fs.appendFileSync(path.join(this.#folder, 'postgresql.conf'), Object.entries(all).map(([name, value]) => `${name} = '${value}'\n`).join(''))
  }
}

const nameOf = name => path.join(findPostgres(), name)

function program (name, words) {
  return run(nameOf(name), words, { ...identity, cwd: '/', maxBuffer: 2 ** 26 })
}

/** Makes a folder the engine's own. */
function give (folder) {
  if (identity.uid === undefined) return
  fs.chownSync(folder, identity.uid, identity.gid)
  fs.chmodSync(folder, 0o700)
}

function childrenOf (pid) {
  return fs.readdirSync('/proc').filter(name => /^\d+$/.test(name)).map(Number).filter(other => {
    try {
      const stat = fs.readFileSync(`/proc/${other}/stat`, 'latin1')
      return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) === pid
    } catch {
      return false
    }
  })
}

function signal (pid, name) {
  try {
    process.kill(pid, name)
  } catch (error) {
    if (error.code !== 'ESRCH') throw error
  }
}

module.exports = { Postgres, USER, give }
