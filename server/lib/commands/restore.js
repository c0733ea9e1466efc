'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { Option } = require('commander')
const { decryptBackup, syncFolderSync } = require('@potoroo/storage')
const { readBackup } = require('../backup/read')
const { count, size } = require('../import/words')
const { Config } = require('../config/config')
const { makeDraft, removeDrafts } = require('../service/drafts')
const { makeFolder } = require('../service/make-folder')
const { openStorage } = require('../service/storage')
const { chosenKey, withKeyFile } = require('./key-file')
const { Meter } = require('./meter')
const { parseSize } = require('./size')
const { runTask } = require('./task')

/** @typedef {import('commander').Command} Command */

/** `potoroo restore FILE`: 0 done, 1 not done, 130 stopped. */
module.exports = (/** @type {Command} */ program) => {
  withKeyFile(program.command('restore'), { made: true })
    .description('make a data folder of a backup')
    .argument('<file>', 'the backup; - is standard input')
    .option('--data <folder>', 'the new data folder: nothing may be there', 'potoroo-data')
    .addOption(new Option('--storage <name>', 'what the databases live in, whatever they lived in before').choices(['auto', 'pmem', 'classic-level']).default('auto'))
    .option('--size <bytes>', 'size of a new pool, such as 64M or 1.5G', parseSize)
    .option('--allow-volatile', 'take a pool on a file system that forgets (tmpfs)')
    .addHelpText('after', `
The folder is there when all of the backup was read and found good, and not before: a backup that is
damaged, or ends early, leaves nothing. With --key-file the new databases are encrypted with that key,
which the backup of encrypted ones needs. Users, passwords and settings are those of the backup.

Examples:
  $ potoroo restore monday.backup --data ./potoroo-data
  $ zstdcat monday.backup.zst | potoroo restore - --data ./elsewhere
  $ potoroo restore monday.backup --data ./on-disk --storage classic-level`)
    .action((file, options) => {
      const data = path.resolve(options.data)
      return runTask({ data }, signal => restore(file, data, options, signal))
    })
}

/** @param {string} file @param {string} data @param {any} options @param {AbortSignal} signal */
async function restore (file, data, { storage, size: poolSize, allowVolatile, keyFile }, signal) {
  if (fs.existsSync(data) && !(fs.statSync(data).isDirectory() && fs.readdirSync(data).length === 0)) throw new Error(`there is something in ${data} already; name a new folder with --data`)
  if (file !== '-' && !fs.existsSync(file)) throw new Error(`there is no ${file}`)
  if (file !== '-' && fs.statSync(file).isDirectory()) throw new Error(`${file} is a folder, and no backup`)
  removeDrafts(data)
  const { path: draft, release } = makeDraft(data, 'restoring', makeFolder)
  try {
    const summary = await fill(file, draft, { storage, size: poolSize, allowVolatile, key: chosenKey({ keyFile }) }, signal)
    if (keyFile !== undefined) new Config(path.join(draft, 'potoroo.ini')).set('storage', 'key_file', path.resolve(keyFile))
    signal.throwIfAborted()
    if (fs.existsSync(data)) fs.rmdirSync(data)
    fs.renameSync(draft, data)
    syncFolderSync(path.dirname(data))
    process.stderr.write(`${count(summary.entries)} entries, as of ${summary.created}\n`)
  } catch (error) {
    fs.rmSync(draft, { recursive: true, force: true })
    throw error
  } finally {
    release()
  }
}

/** @param {string} file @param {string} folder @param {any} options @param {AbortSignal} signal */
async function fill (file, folder, options, signal) {
  const input = file === '-' ? process.stdin : fs.createReadStream(file)
  // An input that waits for more does not end by itself.
  signal.addEventListener('abort', () => input.destroy())
  const total = file === '-' ? 0 : fs.statSync(file).size
  const backup = await decryptBackup(input, options.key)
  const { level, flush, close } = await openStorage({ ...options, folder })
  const meter = new Meter(process.stderr, 'Restoring')
  const summary = { entries: 0, created: '' }
  try {
    for await (const { header, config, entries = [], bytes } of readBackup(backup.bytes)) {
      signal.throwIfAborted()
      if (header !== undefined) summary.created = header.created
      if (config !== undefined) fs.writeFileSync(path.join(folder, 'potoroo.ini'), config, { mode: 0o600, flush: true })
      summary.entries += entries.length
      await level.batch(entries.map(([key, value]) => ({ type: 'put', key, value })), { keyEncoding: 'buffer', valueEncoding: 'buffer' })
      meter.update(bytes, total, `${count(summary.entries)} entries, ${size(bytes)}`)
    }
    await flush()
    syncFolderSync(folder)
    return summary
  } finally {
    meter.stop()
    input.destroy()
    await close()
  }
}
