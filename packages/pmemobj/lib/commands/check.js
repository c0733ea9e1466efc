'use strict'

const { keyOf, withKey } = require('./key')
const { count, tableOf } = require('./table')

const DAMAGED = 1

/**
 * `pmemobj check PATH`: 0 sound, 1 damaged, 2 cannot be checked.
 *
 * @param {import('commander').Command} program
 */
module.exports = program => {
  withKey(program.command('check'))
    .description('read all of a pool, and list its problems')
    .argument('<path>', "the pool's file or folder")
    .option('--json', 'print the whole report as JSON')
    .action(async (path, { json, ...options }) => {
      // Not before it is needed: --help works without the addon.
      const { check } = require('../pool/check')
      const report = await check(path, { key: keyOf(options) })
      process.stdout.write(json ? `${JSON.stringify(report, null, 2)}\n` : inWords(path, report))
      if (!report.sound) process.exitCode = DAMAGED
    })
}

/**
 * @param {string} path
 * @param {import('../..').CheckReport} report
 */
function inWords (path, report) {
  const { problems, problemCount, notes } = report
  const lines = [
    report.sound ? `${path} is sound.` : `${path} is damaged: ${count(problemCount, 'problem')}.`,
    ...problems.map(({ kind, offset, message }) => `  ${kind}, at ${offset}: ${message}`),
    ...(problemCount > problems.length ? [`  … and ${problemCount - problems.length} more`] : []),
    ...notes.map(({ kind, offset, message }) => `  note: ${kind}, at ${offset}: ${message}`),
    '',
    `size      ${report.size} bytes, of at most ${report.maxSize}`,
    `used      ${report.used} bytes in ${count(report.pages, 'page')} and ${count(report.blobs, 'blob')}`,
    `free      ${report.free} bytes`,
    `leaked    ${report.leaked} bytes`,
    `log       ${count(report.logRecords, 'record')} since the last checkpoint, ${count(report.logOperations, 'operation')}, ${report.logBytes} bytes`,
    `undo      ${count(report.undoRanges, 'range')} of a transaction that was cut off, ${report.undoBytes} bytes`,
    `layout    version ${report.layoutVersion}, commit ${report.epoch}`
  ]
  if (report.maps.length > 0) lines.push('', ...table(report.maps))
  return lines.map(line => `${line}\n`).join('')
}

/** @param {import('../..').CheckMap[]} maps */
function table (maps) {
  return tableOf([
    ['map', 'entries', 'key bytes', 'value bytes', 'pages', 'depth', 'blobs', 'blob bytes', 'buffers'],
    // As JSON: a name may hold anything.
    ...maps.map(map => [JSON.stringify(map.name), map.entries, map.keyBytes, map.valueBytes, map.pages, map.depth, map.blobs, map.blobBytes, map.buffers].map(String))
  ])
}
