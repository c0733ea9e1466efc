'use strict'

const path = require('node:path')
const { exportLines } = require('@potoroo/import')
const { damageInWords, isDamage } = require('../storage/damage-report')
const { ExportFiles } = require('../export/files')
const { openDataSnapshot } = require('../export/data-snapshot')
const { StreamWriter } = require('../export/stream-writer')
const { count, several, size } = require('../import/words')
const { chosenKey, withKeyFile } = require('./key-file')
const { Meter } = require('./meter')
const { withServer } = require('./server-option')
const { runTask } = require('./task')

/** @typedef {import('commander').Command} Command */

/** `potoroo export [DATABASE…]`: 0 done, 1 not done, 130 stopped. */
module.exports = (/** @type {Command} */ program) => {
  withServer(withKeyFile(program.command('export')), { meanwhile: true, alias: 'from' })
    .description('write databases, as they are at one moment, into files of JSON that other programs can read')
    .argument('[database...]', 'which databases (default: all)')
    .requiredOption('--to <place>', 'a folder, which gets a file for each database; for one database also a file, NAME.jsonl, or - for standard output')
    .option('--data <folder>', 'the data folder of a server that is not running', 'potoroo-data')
    .option('--plain', 'write databases that are encrypted in the clear')
    .addHelpText('after', `
Each line of a file is JSON: one that describes the database, one for every leaf revision with its history
(conflicts and deleted documents too), one for every local document, and at the end one with counts and a
checksum. Attachments of up to 64 KiB are in the line of their document, in base64; content of longer ones
is in the lines that follow it. potoroo import reads all of it again.

Files get their names when all of them are whole; what had these names before is replaced then. Only their
owner may read them: _users holds the hashes of passwords. With --server, everything of the server is first
copied beside the files, so that it is all of one moment; the copy is removed at the end.

Examples:
  $ potoroo export --to ./exported --data ./potoroo-data
  $ potoroo export todos notes --to ./exported --server http://localhost:5984
  $ potoroo export todos --to - --data ./potoroo-data | zstd > todos.jsonl.zst
  $ potoroo import ./exported --data ./elsewhere`)
    .action((names, options) => runTask({ data: path.resolve(options.data), server: true }, signal => run(names, options, signal)))
}

/** @param {string[]} names @param {any} options @param {AbortSignal} signal */
async function run (names, { to, data, server, keyFile, plain }, signal) {
  const single = to === '-' || to.endsWith('.jsonl')
  if (single && names.length !== 1) throw new Error(`${to} is for one database: name it, or name a folder with --to`)
  const beside = to === '-' ? undefined : path.dirname(path.resolve(to))
  const moment = await openDataSnapshot({ data: path.resolve(data), server, beside, key: chosenKey({ keyFile, server, data }) }, signal)
  try {
    if (moment.encrypted && !plain) throw new Error('the databases are encrypted, and what is exported is not: say --plain, or make a backup')
    const databases = choose(moment.databases.list(), names)
    if (to === '-') return await writeOne(moment, databases[0], new StreamWriter(process.stdout, signal), signal)
    return await writeAll(moment, databases, new ExportFiles(path.resolve(to), single, signal), signal)
  } finally {
    await moment.close()
  }
}

/** @param {string[]} there @param {string[]} names */
function choose (there, names) {
  const missing = names.find((/** @type {string} */ name) => !there.includes(name))
  if (missing !== undefined) throw new Error(`there is no database ${missing}`)
  return names.length === 0 ? there : [...new Set(names)]
}

/** @param {any} moment @param {string[]} names @param {any} files @param {AbortSignal} signal */
async function writeAll (moment, names, files, signal) {
  try {
    for (const name of names) {
      const writer = files.create(name)
      await writeOne(moment, name, writer, signal)
      await writer.end()
    }
    signal.throwIfAborted()
    await files.keep()
  } catch (error) {
    files.remove()
    throw error
  }
}

/** @param {any} moment @param {string} name @param {any} writer @param {AbortSignal} signal */
async function writeOne ({ databases, level }, name, writer, signal) {
  const sharded = databases.sharded(name)
  try {
    const stores = await Promise.all((sharded?.shards ?? [name]).map((/** @type {string} */ each) => databases.get(each)))
    await writeStores(name, stores, sharded, writer, signal)
  } catch (error) {
    throw isDamage(error) ? new Error(await damageInWords(level, { only: name }), { cause: error }) : error
  }
}

/**
 * @param {string} name
 * @param {import('@potoroo/document-store').DocumentStore[]} stores
 * @param {import('@potoroo/document-store').ShardedDatabase | undefined} sharded
 * @param {any} writer
 * @param {AbortSignal} signal
 */
async function writeStores (name, stores, sharded, writer, signal) {
  const meter = new Meter(process.stderr, `Exporting ${name}`)
  let bytes = 0
  let summary = { documents: 0, revisions: 0, attachments: 0, locals: 0 }
  try {
    for await (const { line, counts } of exportLines(stores, sharded)) {
      signal.throwIfAborted()
      await writer.write(line)
      bytes += line.length
      meter.update(counts.documents, 0, `${count(counts.revisions)} revisions, ${size(bytes)}`)
      summary = counts
    }
    await writer.flush()
  } finally {
    meter.stop()
  }
  const { documents, revisions, attachments, locals } = summary
  process.stderr.write(`${name}: ${several(documents, 'document')} with ${several(revisions, 'leaf revision')}, ${several(attachments, 'attachment')}, ${several(locals, 'local document')}, ${size(bytes)}\n`)
}
