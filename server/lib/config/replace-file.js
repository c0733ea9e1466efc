'use strict'

const fs = require('node:fs')
const { createError } = require('@potoroo/errors')

/**
 * Puts a new file into the place of an old one, at once: a crash, or a disk that is full or fails,
 * leaves one or the other, whole. Until its folder is flushed a power cut may bring the old one back. Only the owner may read it.
 *
 * @param {string} file
 * @param {string} text
 * @throws insufficient_storage, or the system's error; then the old file stays
 */
function replaceFile (file, text) {
  const draft = `${file}.new`
  try {
    // Another owner's file, or one that others may read, would keep its mode.
    fs.rmSync(draft, { force: true })
    fs.writeFileSync(draft, text, { mode: 0o600, flag: 'wx', flush: true })
    // A write that was cut short must not count, whoever cut it.
    if (fs.readFileSync(draft, 'utf8') !== text) throw Object.assign(new Error(`${draft} does not hold what was written to it`), { code: 'EIO' })
    fs.renameSync(draft, file)
  } catch (error) {
    fs.rmSync(draft, { force: true })
    throw /^(ENOSPC|EDQUOT|EFBIG)$/.test(error.code) ? createError('NO_SPACE', { cause: error }) : error
  }
}

module.exports = { replaceFile }
