'use strict'

const fs = require('node:fs')
const path = require('node:path')
const zlib = require('node:zlib')
const { Pool } = require('..')
const { gather } = require('./contents')

const BLOCK = 16 * 1024
const PAGE = 1024
const SUPERBLOCK = Buffer.from('Potoroo\0')

/** How far what looks like something else is out of step with the place where it would lie. */
const STEPS = [0, 1, 24, 63]

/** A pool of one file that was opened several times, as a crash leaves it: with records in its log. */
function crashedPool (folder, key) {
  const location = path.join(folder, `hostile-${key === undefined ? 'plain' : 'sealed'}`)
  for (let opening = 0; ; opening++) {
    const pool = Pool.open(location, { maxSize: 0, key })
    const map = pool.map('map')
    for (let i = 0; i < 30; i++) map.put(`key ${i}`, `another pool's ${'x'.repeat(i * 40)}`)
    const bytes = fs.readFileSync(location)
    pool.close()
    if (opening < 3) continue
    fs.unlinkSync(location)
    return bytes
  }
}

/** The pieces of a pool's file: see docs/format.md. */
function piecesOf (pool) {
  let place = BLOCK
  while (!pool.subarray(place, place + 8).equals(SUPERBLOCK)) place += BLOCK
  const slots = [1, 2].map(i => pool.subarray(place + i * 4096, place + i * 4096 + 256))
  const latest = slots.sort((a, b) => Number(b.readBigUInt64LE(0) - a.readBigUInt64LE(0)))[0]
  const log = Number(latest.readBigUInt64LE(40))
  const segment = latest.readUInt32LE(48)
  const directory = latest.readUInt32LE(56) * PAGE
  return {
    superblock: pool.subarray(place, place + BLOCK),
    'root slot': latest,
    'both segments of a log': pool.subarray(log, log + 2 * segment),
    'records of a log': pool.subarray(log + latest.readUInt32LE(52) * segment).subarray(0, 20_000),
    page: pool.subarray(directory, directory + PAGE),
    'block of pages': pool.subarray(directory - directory % BLOCK).subarray(0, BLOCK)
  }
}

/**
 * Bytes that look like what pools and their backups are made of, whole and right: of this layout version
 * and the one before, encrypted and not.
 *
 * @param {string} folder for files that are gone afterwards
 * @returns {Promise<Record<string, Buffer>>}
 */
async function hostileBytes (folder) {
  const key = Buffer.alloc(32, 'k')
  const [plain, sealed] = [crashedPool(folder), crashedPool(folder, key)]
  const location = path.join(folder, 'hostile-backup')
  fs.writeFileSync(location, plain)
  const pool = Pool.open(location)
  const [backup, dump, print] = await Promise.all([gather(pool.backup()), gather(pool.dump()), gather(pool.dump({ format: 'print' }))])
  pool.close()
  fs.writeFileSync(location, sealed)
  const secret = Pool.open(location, { key })
  const sealedBackup = await gather(secret.backup())
  secret.close()
  fs.unlinkSync(location)
  return {
    'pool of one file': plain,
    'pool that is encrypted': sealed,
    'pool of the layout version before': zlib.gunzipSync(fs.readFileSync(path.join(__dirname, 'fixtures/version-2-undo.pool.gz'))),
    ...piecesOf(plain),
    ...Object.fromEntries(Object.entries(piecesOf(sealed)).map(([name, bytes]) => [`${name}, encrypted`, bytes])),
    backup,
    'header of a backup': backup.subarray(0, 64),
    'end of a backup': backup.subarray(-36),
    'frames of a backup': backup.subarray(64),
    'encrypted backup': sealedBackup,
    dump,
    'dump in print': print,
    'end of a dump': Buffer.from('\nDATA=END\n'),
    'header of a dump': Buffer.from('\nDATA=END\nVERSION=3\nformat=print\ndatabase=injected\ntype=btree\nHEADER=END\n key\n value\nDATA=END\n')
  }
}

/**
 * Each of them at each place in a line, as entries of a map: as a value, and as a key where it is not too
 * long for one.
 *
 * @param {Record<string, Buffer>} all
 * @returns {Array<[Buffer, Buffer]>}
 */
function hostileEntries (all) {
  return Object.entries(all).flatMap(([name, bytes]) => (bytes.length > 2 ** 22 ? [24] : STEPS).flatMap(step => {
    const shifted = Buffer.concat([Buffer.alloc(step, 'h'), bytes])
    /** @type {Array<[Buffer, Buffer]>} */
    const entries = [[Buffer.from(`${name} after ${step}`), shifted]]
    if (shifted.length < 32_000) entries.push([Buffer.concat([shifted, Buffer.from(name)]), shifted])
    return entries
  }))
}

module.exports = { hostileBytes, hostileEntries }
