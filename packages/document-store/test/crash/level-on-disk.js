'use strict'

const path = require('node:path')

/** The storages that last. pmem-level's pool stands in tmpfs for persistent memory. */
function openLevel (kind, folder) {
  const location = path.join(folder, 'level')
  if (kind === 'classic-level') return new (require('classic-level').ClassicLevel)(location)
  process.env.PMEM_IS_PMEM_FORCE ??= '1'
  return new (require('pmem-level').PmemLevel)(location)
}

module.exports = { openLevel }
