'use strict'

const CRASH_AND_POWER_CUT = 'process crash and power cut'
const CRASH_ONLY = 'process crash, not a restart of the machine'
const NOTHING = 'nothing'

const FLUSH_LINES = 'cache-line flush and fence'
const FLUSH_FILE = 'one flush of the file per group of writes'

/**
 * What a commit is, and what an acknowledged write survives.
 *
 * @param {string} storage
 * @param {import('./file-system').FileSystem | null} fileSystem null for memory
 * @param {boolean} isPmem whether libpmemobj flushes by cache line
 * @returns {{ medium: string, commit: string, survives: string }}
 */
function durabilityOf (storage, fileSystem, isPmem) {
  if (storage === 'memory' || fileSystem === null) return { medium: 'memory', commit: 'none', survives: NOTHING }
  if (fileSystem.volatile) {
    const commit = storage === 'pmem' && isPmem ? 'cache-line flush' : FLUSH_FILE
    return { medium: fileSystem.type, commit, survives: CRASH_ONLY }
  }
  if (storage !== 'pmem' || !isPmem) return { medium: 'file system', commit: FLUSH_FILE, survives: CRASH_AND_POWER_CUT }
  // libpmemobj was told to believe (PMEM_IS_PMEM_FORCE): only direct access makes it true,
  // for otherwise flushed cache lines are still in the page cache.
  if (isForced() && !fileSystem.dax) return { medium: 'emulated persistent memory', commit: FLUSH_LINES, survives: CRASH_ONLY }
  return { medium: 'persistent memory (DAX)', commit: FLUSH_LINES, survives: CRASH_AND_POWER_CUT }
}

function isForced () {
  return process.env.PMEM_IS_PMEM_FORCE === '1'
}

module.exports = { durabilityOf }
