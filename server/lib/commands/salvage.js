'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { lossInWords, mendDatabases } = require('@potoroo/document-store')
const { salvage, syncFolderSync } = require('@potoroo/storage')
const { count } = require('../import/words')
const { escapeControls } = require('../log/safe-text')
const { makeDraft, removeDrafts } = require('../storage/drafts')
const { makeFolder } = require('../storage/make-folder')
const { keyOf, openStorage } = require('../storage/open-storage')
const { demandDatabases } = require('../storage/data-folder')
const { parseSize } = require('./size')
const { runTask } = require('./task')

/** @typedef {import('commander').Command} Command */

/** `potoroo salvage --to FOLDER`: 0 nothing is lost, 1 it could not be done, 2 something is lost, 130 stopped. */
module.exports = (/** @type {Command} */ program) => {
  program.command('salvage')
    .description('bring all that is whole out of a data folder that does not open into a new one, and list what is lost')
    .requiredOption('--to <folder>', 'the new data folder: nothing may be there')
    .option('--data <folder>', 'the damaged data folder, which is only read', 'potoroo-data')
    .option('--size <bytes>', 'size of the new pool, such as 64M or 1.5G', parseSize)
    .option('--json', 'print what is lost as JSON, an object a line')
    .addHelpText('after', `
Every document, revision, attachment and local document that is whole is in the new folder, with users,
security objects and the configuration, and potoroo check finds it sound. A document whose latest
revision is lost goes back to the last one that is whole; an attachment that is lost is taken out of its
documents. Sequences are new, so that replications compare from the start; indexes are built again.

Each loss is a line on standard output. Remarks are on standard error: of pages that nothing leads to, and
of LevelDB, which does not say what it lost.

Exit codes: 0, nothing is lost; 2, something is, or may be; 1, it could not be done.

Examples:
  $ potoroo salvage --data ./potoroo-data --to ./saved
  $ potoroo salvage --data ./potoroo-data --to ./saved --json > lost.jsonl`)
    .action((/** @type {{ data: string, to: string, size?: number, json?: boolean }} */ { data, to, ...options }) => {
      const [from, target] = [path.resolve(data), path.resolve(to)]
      return runTask({ data: from }, signal => run(from, target, options, signal))
    })
}

/**
 * @param {string} from
 * @param {string} target
 * @param {{ size?: number, json?: boolean }} options
 * @param {AbortSignal} signal
 */
async function run (from, target, { size, json }, signal) {
  demandDatabases(from)
  if (fs.existsSync(target) && !(fs.statSync(target).isDirectory() && fs.readdirSync(target).length === 0)) throw new Error(`there is something in ${target} already; name a new folder with --to`)
  removeDrafts(target)
  const { path: draft, release } = makeDraft(target, 'salvaging', makeFolder)
  try {
    const lost = await fill(from, draft, { size, key: keyOf(from) }, (/** @type {any} */ loss) => {
      process.stdout.write(`${json ? JSON.stringify(loss) : escapeControls(lossInWords(loss))}\n`)
    }, signal)
    copyConfiguration(from, draft)
    if (fs.existsSync(target)) fs.rmdirSync(target)
    fs.renameSync(draft, target)
    syncFolderSync(path.dirname(target))
    return lost ? 2 : 0
  } catch (error) {
    fs.rmSync(draft, { recursive: true, force: true })
    throw error
  } finally {
    release()
  }
}

/**
 * @param {string} from
 * @param {string} draft
 * @param {any} options
 * @param {(loss: any) => void} tell
 * @param {AbortSignal} signal
 * @returns {Promise<boolean>} whether anything is lost, or may be
 */
async function fill (from, draft, options, tell, signal) {
  const salvaged = await salvage(from, draft, options)
  for (const note of salvaged.notes) process.stderr.write(`Note: ${escapeControls(note)}\n`)
  signal.throwIfAborted()
  const { level, flush, close } = await openStorage(/** @type {any} */ ({ folder: draft, storage: salvaged.storage, allowVolatile: true, key: options.key }))
  let losses = 0
  try {
    const doubtful = salvaged.lost !== false
    for await (const loss of mendDatabases(level, { prefix: 'databases/', renew: doubtful, missing: salvaged.missing })) {
      signal.throwIfAborted()
      losses++
      tell(loss)
    }
    await flush()
  } finally {
    await close()
  }
  const maybe = losses === 0 && (salvaged.lost === true || salvaged.notes.length > 0)
  process.stderr.write(`${verdict(losses, maybe, salvaged.lost)}.\n`)
  return losses > 0 || maybe
}

/** @param {number} losses @param {boolean} maybe @param {any} lost */
function verdict (losses, maybe, lost) {
  if (losses > 0) return losses === 1 ? '1 loss' : `${count(losses)} losses`
  if (maybe) return 'Something may be lost'
  return lost === null ? 'Nothing is known to be lost' : 'Nothing is lost'
}

/** @param {string} from @param {string} to */
function copyConfiguration (from, to) {
  const file = path.join(from, 'potoroo.ini')
  if (fs.existsSync(file)) fs.writeFileSync(path.join(to, 'potoroo.ini'), fs.readFileSync(file), { mode: 0o600, flush: true })
}
