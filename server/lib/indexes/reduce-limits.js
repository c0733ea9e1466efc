'use strict'

const SECTION = 'query_server_config'

/**
 * Reads the limits of what a reduction gives.
 *
 * @param {import('../config/config').Config} config
 * @returns {import('@potoroo/indexes').ReduceLimits}
 */
function reduceLimits (config) {
  const mode = config.get(SECTION, 'reduce_limit')
  return {
    mode: mode === 'false' || mode === 'log' ? mode : 'true',
    threshold: config.integer(SECTION, 'reduce_limit_threshold'),
    ratio: config.number(SECTION, 'reduce_limit_ratio')
  }
}

module.exports = { reduceLimits }
