'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { finished } = require('node:stream/promises')
const { decryptBackup, syncFolderSync } = require('@potoroo/storage')
const { readBackup } = require('../backup/read')
const { count, size } = require('../import/words')
const { makeDraft, removeDrafts } = require('../storage/drafts')
const { refuseAmongData } = require('../storage/data-folder')
const { chosenKey, withKeyFile } = require('./key-file')
const { Meter } = require('./meter')
const { openBackup } = require('./open-backup')
const { withServer } = require('./server-option')
const { runConnected } = require('./task')

/** @typedef {import('commander').Command} Command */
/** @typedef {import('./connection').Connection} Connection */
/** @typedef {import('node:http').IncomingMessage} IncomingMessage */
/** @typedef {import('node:stream').Writable} Writable */

/** `potoroo backup FILE`: 0 done, 1 not done, 130 stopped. */
module.exports = (/** @type {Command} */ program) => {
  withServer(withKeyFile(program.command('backup')), { meanwhile: true })
    .description('keep all databases and the configuration, as they are at one moment, in a file')
    .argument('<file>', 'where the backup goes; - is standard output')
    .option('--data <folder>', 'the data folder of a server that is not running', 'potoroo-data')
    .addHelpText('after', `
The file gets its name when all of the backup is in it and was found good: until then an older one
stays as it was. Only its owner may read it, for it holds the hashes of passwords. The backup of databases that
are encrypted is encrypted with their key, which is needed to find it good, and to restore it.

Examples:
  $ potoroo backup monday.backup --data ./potoroo-data
  $ potoroo backup monday.backup --server http://localhost:5984
  $ potoroo backup - --server http://localhost:5984 | zstd > monday.backup.zst`)
    .action((file, options) => runConnected(options, async (/** @type {Connection} */ connection, /** @type {AbortSignal} */ signal) => {
      if (file !== '-') refuseAmongData(file)
      const response = await openBackup(connection, signal)
      const key = chosenKey(options)
      const summary = file === '-' ? await keep(response, process.stdout, key, signal) : await keepInFile(response, path.resolve(file), key, signal)
      process.stderr.write(`${count(summary.entries)} entries, ${size(summary.bytes)}\n`)
    }))
}

/** @param {IncomingMessage} response @param {string} file @param {Buffer | undefined} key @param {AbortSignal} signal */
async function keepInFile (response, file, key, signal) {
  removeDrafts(file)
  const draft = makeDraft(file, 'draft', made => fs.closeSync(fs.openSync(made, 'wx', 0o600)))
  const stream = fs.createWriteStream(draft.path, { fd: fs.openSync(draft.path, 'r+'), flush: true })
  try {
    const summary = await keep(response, stream, key, signal)
    await finished(stream.end())
    signal.throwIfAborted()
    fs.renameSync(draft.path, file)
    syncFolderSync(path.dirname(file))
    return summary
  } catch (error) {
    stream.destroy()
    fs.rmSync(draft.path, { force: true })
    throw error
  } finally {
    draft.release()
  }
}

/**
 * Reads what comes as it will be when it is restored, and writes it.
 *
 * @param {IncomingMessage} response
 * @param {Writable} stream
 * @param {Buffer | undefined} key
 * @param {AbortSignal} signal
 */
async function keep (response, stream, key, signal) {
  const meter = new Meter(process.stderr, 'Backing up')
  /** @type {Promise<never>} */
  const failed = new Promise((resolve, reject) => stream.once('error', reject))
  failed.catch(() => {})
  const summary = { entries: 0, bytes: 0 }
  try {
    const copy = await decryptBackup(copied(response, stream, failed), key)
    for await (const { entries = [], bytes } of readBackup(copy.bytes)) {
      signal.throwIfAborted()
      summary.entries += entries.length
      summary.bytes = bytes
      meter.update(0, 0, `${count(summary.entries)} entries, ${size(bytes)}`)
    }
    return summary
  } finally {
    meter.stop()
  }
}

/** @param {AsyncIterable<Buffer>} source @param {Writable} stream @param {Promise<never>} failed */
async function * copied (source, stream, failed) {
  for await (const chunk of source) {
    if (!stream.write(chunk)) await Promise.race([failed, new Promise(resolve => stream.once('drain', resolve))])
    yield chunk
  }
}
