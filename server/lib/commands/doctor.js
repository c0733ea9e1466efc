'use strict'

const path = require('node:path')
const { examine } = require('../doctor/examine')
const { escapeControls } = require('../log/safe-text')
const { runTask } = require('./task')

/** @typedef {import('commander').Command} Command */

const SIGNS = { ok: ' ok ', warning: 'warn', problem: 'BAD ' }

/** `potoroo doctor`: 0 nothing keeps a server from its work, 2 something does, 1 it could not look. */
module.exports = (/** @type {Command} */ program) => {
  program.command('doctor')
    .description('what a server on a data folder will find here, and what to mend')
    .option('--data <folder>', 'the data folder, which may not be there yet', 'potoroo-data')
    .option('--json', 'print an array of objects: name, state, found, mend')
    .addHelpText('after', `
It looks at versions, addons, the storage, the medium (persistent memory, disk, tmpfs), free space, permissions,
limits, the clock, settings, and whether a server answers. It changes nothing; potoroo check reads the databases.

Exit codes: 0, all is well, or there are warnings; 2, there is something to mend; 1, it could not look.

Examples:
  $ potoroo doctor --data /var/lib/potoroo
  $ potoroo doctor --json`)
    .action(({ data, json }) => {
      const folder = path.resolve(data)
      return runTask({ data: folder }, async () => {
        const findings = await examine(folder)
        process.stdout.write(json ? `${JSON.stringify(findings, null, 2)}\n` : findings.map(inWords).join(''))
        return findings.some(({ state }) => state === 'problem') ? 2 : 0
      })
    })
}

/** @param {import('../doctor/examine').Finding} finding */
function inWords ({ name, state, found, mend }) {
  return `[${SIGNS[state]}] ${name}: ${escapeControls(found)}\n${mend === undefined ? '' : `       → ${escapeControls(mend)}\n`}`
}
