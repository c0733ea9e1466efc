'use strict'

const path = require('node:path')
const { checkDatabases } = require('@potoroo/document-store')
const { count } = require('../import/words')
const { escapeControls } = require('../log/safe-text')
const { openStorage } = require('../storage')
const { hasDatabases } = require('./data-folder')
const { runTask } = require('./task')

/** Problems that are printed; the rest is counted. */
const SHOWN = 1000

/** `potoroo check`: 0 all is well, 1 it could not be checked, 2 there are problems, 130 stopped. */
module.exports = program => {
  program.command('check')
    .description('read all databases of a data folder and say what in them does not agree')
    .option('--data <folder>', 'the data folder of a server that is not running', 'potoroo-data')
    .addHelpText('after', `
The storage checks itself when it is opened: a pool its roots and its log, LevelDB its files. Then all
documents are read: their revisions, bodies, sequences and attachments with their digests, and the
totals of each database. Nothing is changed. Rows of indexes are not compared with the documents that
they are made of; an index that is in doubt is made anew when its design document changes.

Exit codes: 0, all is well; 2, there are problems, one a line on standard output; 1, it could not be
checked.

Examples:
  $ potoroo check --data ./potoroo-data
  $ potoroo check --data ./potoroo-data || mail -s 'databases are damaged' me`)
    .action(options => {
      const data = path.resolve(options.data)
      return runTask({ data }, signal => check(data, signal))
    })
}

async function check (data, signal) {
  if (!hasDatabases(data)) throw new Error(`there are no databases in ${data}; name a data folder with --data`)
  const { level, close } = await openStorage(/** @type {any} */ ({ folder: data, allowVolatile: true }))
  let problems = 0
  try {
    for await (const problem of checkDatabases(level, { prefix: 'databases/' })) {
      signal.throwIfAborted()
      if (problems++ < SHOWN) process.stdout.write(`${escapeControls(problem)}\n`)
    }
  } finally {
    await close()
  }
  process.stderr.write(problems === 0 ? 'No problems.\n' : `${count(problems)} problem${problems === 1 ? '' : 's'}.\n`)
  return problems === 0 ? 0 : 2
}
