'use strict'

const { spawn } = require('node:child_process')
const { on, once } = require('node:events')
const fs = require('node:fs')
const path = require('node:path')
const { InvalidArgumentError } = require('commander')
const { logSettings } = require('../log/log-settings')
const { configOf } = require('./local-server')
const { runTask } = require('./task')

/** @typedef {import('commander').Command} Command */

/** Bytes that are read at once. */
const CHUNK = 64 * 1024

/** `potoroo logs`: 0 printed, 1 there is no log to be read. */
module.exports = (/** @type {Command} */ program) => {
  program.command('logs')
    .description("print the last lines of a server's log, and those that come")
    .option('--data <folder>', 'its data folder', 'potoroo-data')
    .option('-n, --lines <number>', 'how many lines', count, 100)
    .option('-f, --follow', 'go on with lines that come, until Ctrl-C')
    .option('--unit <name>', 'the unit of systemd whose journal it is, where the log is no file', 'potoroo')
    .addHelpText('after', `
With [log] writer = file the log is that file. Else it goes to standard error or to the journal, which
journalctl prints, if the server is a unit of systemd.

Examples:
  $ potoroo logs --data /var/lib/potoroo
  $ potoroo logs -n 20 --follow`)
    .action(({ data, lines, follow = false, unit }) => {
      const folder = path.resolve(data)
      return runTask({ data: folder }, async signal => {
        const { writer, file } = logSettings(configOf(folder), folder)
        if (writer !== 'file' || file === undefined) return readJournal(unit, lines, follow, signal)
        const tail = new Tail(file)
        process.stdout.write(tail.last(lines))
        if (follow) await tail.follow(text => process.stdout.write(text), signal)
      })
    })
}

/** @param {string} text */
function count (text) {
  if (!/^\d{1,7}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.')
  return Number(text)
}

/** @param {string} unit @param {number} lines @param {boolean} follow @param {AbortSignal} signal */
async function readJournal (unit, lines, follow, signal) {
  const child = spawn('journalctl', ['--unit', unit, '--lines', String(lines), '--quiet', '--no-pager', ...(follow ? ['--follow'] : [])], { stdio: ['ignore', 'pipe', 'inherit'] })
  signal.addEventListener('abort', () => child.kill())
  let printed = false
  child.stdout.on('data', text => {
    printed = true
    process.stdout.write(text)
  })
  const [code] = await once(child, 'close').catch(() => [1])
  if (signal.aborted) return 0
  if (!printed) throw new Error(`no journal here has lines of a unit ${unit}: look where the server was started, for the log goes to its standard error, or set [log] writer = file and file = potoroo.log`)
  return code ?? 1
}

/** The end of a file that grows, and that may be put aside for a new one. */
class Tail {
  #file
  #descriptor
  #at = 0

  /** @param {string} file @throws where it cannot be read */
  constructor (file) {
    this.#file = file
    try {
      this.#descriptor = fs.openSync(file, 'r')
    } catch (cause) {
      throw new Error(`the log ${file} cannot be read: ${cause.code === 'ENOENT' ? 'there is none yet' : cause.message}`, { cause })
    }
  }

  /** @param {number} lines @returns {Buffer} the last lines; what is written later comes from `follow` */
  last (lines) {
    const { size } = fs.fstatSync(this.#descriptor)
    let start = size
    let tail = Buffer.alloc(0)
    while (start > 0 && newlines(tail) <= lines) {
      const from = Math.max(0, start - CHUNK)
      tail = Buffer.concat([this.#read(from, start), tail])
      start = from
    }
    this.#at = size
    return lines === 0 ? Buffer.alloc(0) : lastLines(tail, lines)
  }

  /** @param {(text: Buffer) => void} write @param {AbortSignal} signal */
  async follow (write, signal) {
    const watcher = fs.watch(path.dirname(this.#file))
    const changes = on(watcher, 'change', { signal })
    try {
      this.#writeNew(write)
      while (!(await changes.next()).done) this.#writeNew(write)
    } catch (error) {
      if (error.name !== 'AbortError') throw error
    } finally {
      watcher.close()
      fs.closeSync(this.#descriptor)
    }
  }

  /** @param {(text: Buffer) => void} write */
  #writeNew (write) {
    this.#writeRest(write)
    const now = fs.statSync(this.#file, { throwIfNoEntry: false })
    if (now === undefined || now.ino === fs.fstatSync(this.#descriptor).ino) return
    fs.closeSync(this.#descriptor)
    this.#descriptor = fs.openSync(this.#file, 'r')
    this.#at = 0
    this.#writeRest(write)
  }

  /** @param {(text: Buffer) => void} write */
  #writeRest (write) {
    const { size } = fs.fstatSync(this.#descriptor)
    if (size < this.#at) this.#at = 0
    for (; this.#at < size; this.#at = Math.min(size, this.#at + CHUNK)) write(this.#read(this.#at, Math.min(size, this.#at + CHUNK)))
  }

  /** @param {number} from @param {number} to */
  #read (from, to) {
    const bytes = Buffer.alloc(to - from)
    fs.readSync(this.#descriptor, bytes, 0, bytes.length, from)
    return bytes
  }
}

/** @param {Buffer} bytes */
function newlines (bytes) {
  let found = 0
  for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, at + 1)) found++
  return found
}

/** @param {Buffer} bytes @param {number} lines */
function lastLines (bytes, lines) {
  let before = bytes.at(-1) === 10 ? bytes.length - 1 : bytes.length
  for (let left = lines; left > 0; left--) {
    if (before === 0) return bytes
    before = bytes.lastIndexOf(10, before - 1)
    if (before === -1) return bytes
  }
  return bytes.subarray(before + 1)
}
