'use strict'

/**
 * Returns what `_find` takes of `[mango]`, each read when it is asked for.
 *
 * @param {import('../config/config').Config} config
 */
function mangoSettings (config) {
  return {
    defaultLimit: () => config.integer('mango', 'default_limit'),
    warnAbove: () => config.integer('mango', 'index_scan_warning_threshold')
  }
}

module.exports = { mangoSettings }
