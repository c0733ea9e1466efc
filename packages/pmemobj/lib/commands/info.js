'use strict'

const { keyOf, withKey } = require('./key')

// Keys that are counted at once.
const PAGE = 10_000

/**
 * `pmemobj info POOL`: 0 done, 2 not done.
 *
 * @param {import('commander').Command} program
 */
module.exports = program => {
  withKey(program.command('info'))
    .description('say how big a pool is, how full, and what maps it has')
    .argument('<pool>', "the pool's file or folder; another process may have it open")
    .option('--json', 'print it as JSON')
    .addHelpText('after', `
It reads all keys, to count them. Beside a process that has the pool open, or where you may only read it, it does not know what is used. Whether they and their values are whole says "pmemobj check".

Example:
  $ pmemobj info --json ./notes | jq '.maps[].entries'`)
    .action((location, { json, ...options }) => {
      const pool = open(location, keyOf(options))
      const maps = pool.maps().map(name => ({ name, entries: count(pool.map(name)) }))
      // The last: by then it is known what of a big pool is free.
      const info = { path: location, ...statsOf(pool), maps }
      pool.close()
      process.stdout.write(json ? `${JSON.stringify(info, null, 2)}\n` : inWords(info))
    })
}

/**
 * Only who opens it for writing knows what is in use.
 *
 * @param {string} location
 * @param {Uint8Array | undefined} key
 */
function open (location, key) {
  const { Pool } = require('../..')
  try {
    return Pool.open(location, { createIfMissing: false, key })
  } catch (error) {
    if (error.code !== 'PMEMOBJ_IN_USE' && error.code !== 'PMEMOBJ_PERMISSION') throw error
    return Pool.open(location, { readOnly: true, key })
  }
}

/** @param {import('../..').Pool} pool */
function statsOf (pool) {
  const stats = pool.stats()
  return pool.readOnly ? { ...stats, used: null, free: null, largest: null } : stats
}

/** @param {import('../..').OrderedMap} map */
function count (map) {
  const iterator = map.iterator({ values: false, keyEncoding: 'view' })
  let entries = 0
  for (let length; (length = iterator.nextv(PAGE).length) > 0;) entries += length
  iterator.close()
  return entries
}

/**
 * @param {Pick<ReturnType<typeof statsOf>, 'size' | 'maxSize' | 'used' | 'isPmem'> & { path: string, maps: { name: string, entries: number }[] }} info
 */
function inWords ({ path, size, maxSize, used, isPmem, maps }) {
  const width = Math.max(3, ...maps.map(({ name }) => JSON.stringify(name).length))
  return [
    path,
    `size      ${size} bytes, of at most ${maxSize}`,
    `used      ${used === null ? 'not known: only a process that may write to the pool knows' : `${used} bytes, ${(used / maxSize * 100).toFixed(1)} % of at most`}`,
    `commits   ${isPmem ? 'flush cache lines: persistent memory' : 'write the log: an ordinary file system'}`,
    '',
    `${'map'.padEnd(width)}  entries`,
    ...maps.map(({ name, entries }) => `${JSON.stringify(name).padEnd(width)}  ${String(entries).padStart(7)}`)
  ].map(line => `${line}\n`).join('')
}
