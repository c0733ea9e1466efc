'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { decryptBackup, syncFolderSync } = require('@potoroo/storage')
const { damaged, readBackup } = require('../backup/read')
const { count, size } = require('../import/words')
const { Config } = require('../config/config')
const { Ini } = require('../config/ini')
const { Restoration } = require('../cluster/restoration')
const { CONFIGURATION } = require('../cluster/watch')
const { makeDraft, removeDrafts } = require('../storage/drafts')
const { makeFolder } = require('../storage/make-folder')
const { openStorage, readKey } = require('../storage/open-storage')
const { chosenKey, withKeyFile } = require('./key-file')
const { Meter } = require('./meter')
const { parseSize } = require('./size')
const { isPostgres, withStorage } = require('./storage-option')
const { runTask } = require('./task')

/** @typedef {import('commander').Command} Command */

/** Key of the settings that servers share, whose place outside of PostgreSQL is the ini file. */
const SHARED = Buffer.from(CONFIGURATION)

/** Settings that each server of several has for itself. */
const OWN_SECTIONS = new Set(['log', 'ssl', 'storage'])
const OWN_KEYS = new Set(['chttpd/bind_address', 'chttpd/port'])

/** Settings by which a server is one of several: what is restored is none of them. */
const OF_MEMBERS = ['secret', 'listen', 'address', 'cert_file', 'key_file', 'cacert_file', 'name']

/** @typedef {{ created: string, entries: number, ini: Ini }} Restored what was read: `ini` has the settings that servers shared, too */

/** `potoroo restore FILE`: 0 done, 1 not done, 130 stopped. */
module.exports = (/** @type {Command} */ program) => {
  withStorage(withKeyFile(program.command('restore'), { made: true }), 'what the databases live in, whatever they lived in before')
    .description('make a data folder of a backup, or fill a PostgreSQL with it')
    .argument('<file>', 'the backup; - is standard input')
    .option('--data <folder>', 'the new data folder: nothing may be there', 'potoroo-data')
    .option('--size <bytes>', 'size of a new pool, such as 64M or 1.5G', parseSize)
    .option('--allow-volatile', 'take a pool on a file system that forgets (tmpfs)')
    .addHelpText('after', `
The folder is there when all of the backup was read and found good, and not before: a backup that is
damaged, or ends early, leaves nothing. With --key-file the new databases are encrypted with that key,
which the backup of encrypted ones needs. Users, passwords and settings are those of the backup.

A PostgreSQL has to be empty, and no server may use it. Servers do not start on it before all of the backup is
there; if that was interrupted, the same command begins again. Their data folders keep what each has
for itself: [log], [ssl], [storage], [chttpd] port and bind_address, and where [cluster] finds it.

Examples:
  $ potoroo restore monday.backup --data ./potoroo-data
  $ zstdcat monday.backup.zst | potoroo restore - --data ./elsewhere
  $ potoroo restore monday.backup --data ./on-disk --storage classic-level
  $ potoroo restore monday.backup --storage postgres://potoroo@db.internal/potoroo`)
    .action((file, options) => {
      if (isPostgres(options.storage)) return runTask({ data: 'PostgreSQL' }, signal => restoreIntoPostgres(file, options, signal))
      const data = path.resolve(options.data)
      return runTask({ data }, signal => restore(file, data, options, signal))
    })
}

/** @param {string} file */
function demandBackup (file) {
  if (file !== '-' && !fs.existsSync(file)) throw new Error(`there is no ${file}`)
  if (file !== '-' && fs.statSync(file).isDirectory()) throw new Error(`${file} is a folder, and no backup`)
}

/** @param {string} file @param {{ storage: `postgres://${string}`, keyFile?: string }} options @param {AbortSignal} signal */
async function restoreIntoPostgres (file, { storage, keyFile }, signal) {
  demandBackup(file)
  const { level, close } = await openStorage({ storage })
  try {
    const restoration = await Restoration.open(level, text => { process.stderr.write(`${text}\n`) })
    try {
      const restored = await read(file, keyFile === undefined ? undefined : readKey(keyFile), entries => restoration.write(entries), signal)
      signal.throwIfAborted()
      await restoration.finish(sharedSections(restored.ini))
      tell(restored)
    } catch (error) {
      await restoration.abandon()
      throw error
    } finally {
      await restoration.close()
    }
  } finally {
    await close()
  }
}

/** @param {Ini} ini @returns {Record<string, Record<string, string>>} */
function sharedSections (ini) {
  const sections = [...ini.sections()].filter(([section]) => !OWN_SECTIONS.has(section))
  return Object.fromEntries(sections.map(([section, values]) => [section, Object.fromEntries([...values].filter(([key]) => !OWN_KEYS.has(`${section}/${key}`)))]))
}

/** @param {Restored} restored */
function tell ({ entries, created }) { process.stderr.write(`${count(entries)} entries, as of ${created}\n`) }

/** @param {string} file @param {string} data @param {any} options @param {AbortSignal} signal */
async function restore (file, data, { storage, size: poolSize, allowVolatile, keyFile }, signal) {
  if (fs.existsSync(data) && !(fs.statSync(data).isDirectory() && fs.readdirSync(data).length === 0)) throw new Error(`there is something in ${data} already; name a new folder with --data`)
  demandBackup(file)
  removeDrafts(data)
  const { path: draft, release } = makeDraft(data, 'restoring', makeFolder)
  try {
    const restored = await fill(file, draft, { storage, size: poolSize, allowVolatile, key: chosenKey({ keyFile }) }, signal)
    if (keyFile !== undefined) new Config(path.join(draft, 'potoroo.ini')).set('storage', 'key_file', path.resolve(keyFile))
    signal.throwIfAborted()
    if (fs.existsSync(data)) fs.rmdirSync(data)
    fs.renameSync(draft, data)
    syncFolderSync(path.dirname(data))
    tell(restored)
  } catch (error) {
    fs.rmSync(draft, { recursive: true, force: true })
    throw error
  } finally {
    release()
  }
}

/** @param {string} file @param {string} folder @param {any} options @param {AbortSignal} signal */
async function fill (file, folder, options, signal) {
  const { level, flush, close } = await openStorage({ ...options, folder })
  try {
    /** @param {Array<[Buffer, Buffer]>} entries */
    const write = entries => level.batch(entries.map(([key, value]) => ({ type: 'put', key, value })), { keyEncoding: 'buffer', valueEncoding: 'buffer' })
    const restored = await read(file, options.key, write, signal)
    const text = restored.ini.toString()
    if (text !== '') fs.writeFileSync(path.join(folder, 'potoroo.ini'), text, { mode: 0o600, flush: true })
    await flush()
    syncFolderSync(folder)
    return restored
  } finally {
    await close()
  }
}

/**
 * Reads a backup to its end.
 *
 * @param {string} file
 * @param {Buffer | undefined} key
 * @param {(entries: Array<[Buffer, Buffer]>) => Promise<void>} write
 * @param {AbortSignal} signal
 * @returns {Promise<Restored>}
 */
async function read (file, key, write, signal) {
  const input = file === '-' ? process.stdin : fs.createReadStream(file)
  // An input that waits for more does not end by itself.
  signal.addEventListener('abort', () => input.destroy())
  const total = file === '-' ? 0 : fs.statSync(file).size
  const meter = new Meter(process.stderr, 'Restoring')
  const restored = { entries: 0, created: '', ini: new Ini() }
  /** @type {Record<string, Record<string, string | null>>} */
  let shared = {}
  try {
    const backup = await decryptBackup(input, key)
    for await (const { header, config, entries = [], bytes } of readBackup(backup.bytes)) {
      signal.throwIfAborted()
      if (header !== undefined) restored.created = header.created
      if (config !== undefined) restored.ini = new Ini(config)
      restored.entries += entries.length
      const settings = entries.find(([key]) => key.equals(SHARED))
      if (settings !== undefined) shared = sectionsOf(settings[1])
      await write(entries.filter(entry => entry !== settings))
      meter.update(bytes, total, `${count(restored.entries)} entries, ${size(bytes)}`)
    }
    lay(restored.ini, shared)
    for (const key of OF_MEMBERS) restored.ini.delete('cluster', key)
    return restored
  } finally {
    meter.stop()
    input.destroy()
  }
}

/** Settings that servers share, as they were stored. @param {Buffer} value @returns {Record<string, Record<string, string | null>>} */
function sectionsOf (value) {
  try {
    const { sections } = JSON.parse(value.toString())
    if (Object.values(sections).every(values => Object.values(values).every(text => text === null || typeof text === 'string'))) return sections
  } catch {}
  throw damaged('the settings that servers share are damaged in the backup')
}

/** Lays settings over those of an ini file: null takes one away. @param {Ini} ini @param {Record<string, Record<string, string | null>>} sections */
function lay (ini, sections) {
  for (const [section, values] of Object.entries(sections)) {
    for (const [key, value] of Object.entries(values)) {
      if (value === null) ini.delete(section, key)
      else ini.set(section, key, value)
    }
  }
}
