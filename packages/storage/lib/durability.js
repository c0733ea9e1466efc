'use strict'

const CRASH_AND_POWER_CUT = 'process crash and power cut'
const CRASH_ONLY = 'process crash, not a restart of the machine'
const NOTHING = 'nothing'

const FLUSH_LINES = 'cache-line flush and fence'
const ALL_BUT_A_SECOND = 'process crash; a power cut loses at most the last second and nothing older'

const LATER = 'none per write, one flush of the file every second'
const FLUSH_FILE = 'one flush of the file per group of writes'

/**
 * Says what a commit is, and what an acknowledged write survives.
 *
 * @param {string} storage
 * @param {import('./file-system').FileSystem | null} fileSystem null for memory
 * @param {boolean} isPmem whether libpmemobj flushes by cache line
 * @param {'strict' | 'relaxed'} [durability] of a pool
 * @returns {{ medium: string, commit: string, survives: string }}
 */
function durabilityOf (storage, fileSystem, isPmem, durability = 'strict') {
  if (storage === 'memory' || fileSystem === null) return { medium: 'memory', commit: 'none', survives: NOTHING }
  const relaxed = storage === 'pmem' && !isPmem && durability === 'relaxed'
  const fileCommit = relaxed ? LATER : FLUSH_FILE
  if (fileSystem.volatile) {
    const commit = storage === 'pmem' && isPmem ? 'cache-line flush' : fileCommit
    return { medium: fileSystem.type, commit, survives: CRASH_ONLY }
  }
  if (storage !== 'pmem' || !isPmem) {
    return { medium: 'file system', commit: fileCommit, survives: relaxed ? ALL_BUT_A_SECOND : CRASH_AND_POWER_CUT }
  }
  // libpmemobj was told to believe (PMEM_IS_PMEM_FORCE): only direct access makes it true,
  // for otherwise flushed cache lines are still in the page cache.
  if (isForced() && !fileSystem.dax) return { medium: 'emulated persistent memory', commit: FLUSH_LINES, survives: CRASH_ONLY }
  return { medium: 'persistent memory (DAX)', commit: FLUSH_LINES, survives: CRASH_AND_POWER_CUT }
}

function isForced () {
  return process.env.PMEM_IS_PMEM_FORCE === '1'
}

module.exports = { durabilityOf }
