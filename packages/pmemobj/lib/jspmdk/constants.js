'use strict'

/** As in libpmemobj. */
const constants = Object.freeze({
  MIN_POOL_SIZE: 8 * 1024 * 1024,
  TX_STAGE_NONE: 0,
  TX_STAGE_WORK: 1,
  TX_STAGE_ONCOMMIT: 2,
  TX_STAGE_ONABORT: 3,
  TX_STAGE_FINALLY: 4
})

module.exports = { constants }
