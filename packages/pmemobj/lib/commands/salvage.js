'use strict'

const { keyOf, withKey } = require('./key')
const { parseBytes, parsePoolSize } = require('./number')
const { count, tableOf } = require('./table')

const LOST = 1

/**
 * `pmemobj salvage POOL --to NEW`: 0 all was brought, 1 something is lost, 2 not done.
 *
 * @param {import('commander').Command} program
 */
module.exports = program => {
  withKey(program.command('salvage'))
    .description('bring what is whole out of a damaged pool into a new one, and list what is lost')
    .argument('<pool>', "the damaged pool's file or folder; nobody may have it open")
    .requiredOption('--to <path>', 'where the new pool goes: nothing may be there')
    .option('--size <bytes>', 'how big the new pool is to begin with, such as 64M', parsePoolSize)
    .option('--max-size <bytes>', 'how big it may grow, such as 1T; 0 makes one file that cannot grow', parseBytes)
    .option('--json', 'print the whole report as JSON, with keys in hexadecimal')
    .addHelpText('after', `
The old pool is only read. It begins with the last checkpoint that can be found, and the log. Where pages
of it are lost, all bytes of the files are looked through for pages: what they bring back is counted as
doubtful, because it may be old, or have been deleted since. Maps whose names are lost are called lost-1,
lost-2 and so on. Parts may be missing, cut short, or have each other's names.

Exit codes: 0, nothing is lost; 1, something is, and is listed; 2, it could not be done.

Example:
  $ pmemobj salvage ./notes --to ./notes-saved`)
    .action(async (location, { to, size, maxSize, json, ...options }) => {
      // Not before it is needed: --help works without the addon.
      const { salvage } = require('../pool/salvage')
      const report = await salvage(location, to, { size, maxSize, key: keyOf(options) })
      process.stdout.write(json ? `${JSON.stringify(report, hexOfKeys, 2)}\n` : inWords(to, report))
      if (report.lost) process.exitCode = LOST
    })
}

/**
 * A Buffer has become what its toJSON() gives by then.
 *
 * @param {string} name
 * @param {{ type?: unknown, data: number[] } | null | undefined} value
 */
function hexOfKeys (name, value) {
  return value?.type === 'Buffer' ? Buffer.from(value.data).toString('hex') : value
}

/**
 * @param {string} to
 * @param {import('../..').SalvageReport} report
 */
function inWords (to, report) {
  const { maps, notes } = report
  const lines = [
    `${to}: ${count(maps.length, 'map')}, and ${count(report.logRecords, 'record')} of the log with ${count(report.logOperations, 'operation')}.`,
    report.lost ? 'Something is lost, or may be.' : 'Nothing is lost.',
    ...notes.map(note => `  ${note}`),
    ...maps.flatMap(lossesOf)
  ]
  if (maps.length > 0) lines.push('', ...table(maps))
  return lines.map(line => `${line}\n`).join('')
}

/** @param {import('../..').SalvageMap} map */
function lossesOf ({ name, losses, lossCount }) {
  const lines = losses.map(loss => `  ${JSON.stringify(name)}: ${wordsOf(loss)}`)
  return lossCount > losses.length ? [...lines, `  ${JSON.stringify(name)}: … and ${lossCount - losses.length} more`] : lines
}

/** @param {import('../..').SalvageLoss} loss */
function wordsOf ({ kind, from, to }) {
  if (kind === 'value') return `the value of ${quoted(from)} is damaged`
  if (kind === 'key') return `the key of an entry that begins with ${quoted(from)} is damaged`
  return `a page of the keys from ${quoted(from)} ${to === undefined ? 'to the end' : `up to ${quoted(to)}`} is lost`
}

/**
 * As text where it is one.
 *
 * @param {Buffer} key
 */
function quoted (key) {
  const text = key.toString()
  return Buffer.from(text).equals(key) ? JSON.stringify(text) : `0x${key.toString('hex')}`
}

/** @param {import('../..').SalvageMap[]} maps */
function table (maps) {
  return tableOf([
    ['map', 'entries', 'bytes', 'doubtful', 'losses'],
    // As JSON: a name may hold anything.
    ...maps.map(map => [JSON.stringify(map.name), map.entries, map.bytes, map.doubtful, map.lossCount].map(String))
  ])
}
