'use strict'

const crypto = require('node:crypto')
const fs = require('node:fs')
const { ImportError } = require('../import/import-error')
const { linesOf } = require('./lines')
const { VERSION } = require('./write')

const LINE_FEED = Buffer.from('\n')

/** A file that is no export may have no lines at all. */
const LONGEST_HEADER = 16 * 1024 * 1024

/**
 * Reads the first line of an export.
 *
 * @param {string} file
 * @returns {Promise<Record<string, any>>}
 * @throws SOURCE_FORMAT where it is none
 */
async function readHeader (file) {
  const lines = linesOf(file, 0, LONGEST_HEADER)
  const first = /** @type {{ line: Buffer, whole: boolean } | undefined} */ ((await lines.next()).value)
  await lines.return()
  const header = first?.whole ? parse(first.line) : null
  if (header?.potoroo_export === VERSION && typeof header.name === 'string') return header
  throw new ImportError('SOURCE_FORMAT', { source: file, why: 'it is no file of potoroo export, or one of another version' })
}

/**
 * Reads all of an export, and compares it with what its last line says.
 *
 * @param {string} file
 * @returns {Promise<{ end: number, size: number, sha256: string }>} `end`: where the last line begins
 * @throws EXPORT_DAMAGED
 */
async function checkWhole (file) {
  const hash = crypto.createHash('sha256')
  let lines = 0
  let last = /** @type {{ line: Buffer, at: number, whole: boolean } | null} */ (null)
  for await (const { line, at, whole } of linesOf(file)) {
    if (last !== null) {
      hash.update(last.line).update(LINE_FEED)
      lines++
    }
    last = { line, at, whole }
  }
  const end = last !== null && last.whole ? parse(last.line) : null
  if (last === null || end?.end !== true) throw damaged(file, 'is cut short: its last line is missing')
  if (end.lines !== lines) throw damaged(file, `has ${lines} lines, not ${end.lines}`)
  if (end.sha256 !== hash.digest('hex')) throw damaged(file, 'was changed: its content does not fit the checksum in its last line')
  return { end: last.at, size: fs.statSync(file).size, sha256: end.sha256 }
}

/** @param {Buffer} line @returns {Record<string, any> | null} */
function parse (line) {
  try {
    return JSON.parse(line.toString())
  } catch {
    return null
  }
}

/** @param {string} source @param {string} why */
function damaged (source, why) { return new ImportError('EXPORT_DAMAGED', { source, why }) }

module.exports = { checkWhole, readHeader }
