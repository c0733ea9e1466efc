'use strict'

const { keyOf, withKey } = require('./key')

// Keys that are counted at once.
const PAGE = 10_000

/** `pmemobj info POOL`: 0 done, 2 not done. */
module.exports = program => {
  withKey(program.command('info'))
    .description('say how big a pool is, how full, and what maps it has')
    .argument('<pool>', "the pool's file or folder; nobody may have it open")
    .option('--json', 'print it as JSON')
    .addHelpText('after', `
It reads all keys, to count them. Whether they and their values are whole says "pmemobj check".

Example:
  $ pmemobj info --json ./notes | jq '.maps[].entries'`)
    .action((location, { json, ...options }) => {
      const { Pool } = require('../..')
      const key = keyOf(options)
      const pool = Pool.open(location, { createIfMissing: false, key })
      const info = { path: location, ...pool.stats(), maps: pool.maps().map(name => ({ name, entries: count(pool.map(name)) })) }
      pool.close()
      process.stdout.write(json ? `${JSON.stringify(info, null, 2)}\n` : inWords(info))
    })
}

function count (map) {
  const iterator = map.iterator({ values: false, keyEncoding: 'view' })
  let entries = 0
  for (let length; (length = iterator.nextv(PAGE).length) > 0;) entries += length
  iterator.close()
  return entries
}

function inWords ({ path, size, maxSize, used, isPmem, maps }) {
  const width = Math.max(3, ...maps.map(({ name }) => JSON.stringify(name).length))
  return [
    path,
    `size      ${size} bytes, of at most ${maxSize}`,
    `used      ${used} bytes, ${(used / maxSize * 100).toFixed(1)} % of at most`,
    `commits   ${isPmem ? 'flush cache lines: persistent memory' : 'write the log: an ordinary file system'}`,
    '',
    `${'map'.padEnd(width)}  entries`,
    ...maps.map(({ name, entries }) => `${JSON.stringify(name).padEnd(width)}  ${String(entries).padStart(7)}`)
  ].map(line => `${line}\n`).join('')
}
