'use strict'

const path = require('node:path')

/**
 * `[log]`, as it concerns the log.
 *
 * @typedef {object} LogSettings
 * @property {string} level
 * @property {string} [format] `couchdb` or `json`
 * @property {string} [writer] `stderr`, `file` or `journald`
 * @property {string} [file] path
 * @property {number} [buffer] characters that are written without waiting for more
 * @property {number} [delay] milliseconds that a line waits for others
 *
 * @param {import('../config/config').Config} config
 * @param {string | undefined} folder that a path starts from
 * @returns {LogSettings}
 */
function logSettings (config, folder) {
  const file = config.get('log', 'file')
  return {
    level: config.get('log', 'level'),
    format: config.get('log', 'format'),
    writer: config.get('log', 'writer'),
    file: file === '' ? undefined : path.resolve(folder ?? '.', file),
    buffer: config.integer('log', 'write_buffer'),
    delay: config.integer('log', 'write_delay')
  }
}

module.exports = { logSettings }
