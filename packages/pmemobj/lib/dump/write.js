'use strict'

const { encoders, encodeName } = require('./text')

const PIECE = 256 * 1024

/**
 * All maps of a snapshot as text, in the format of Berkeley DB's `db_dump`.
 *
 * @param {import('../map/snapshot-walk').SnapshotWalk} walk
 * @param {import('../..').DumpOptions} options
 * @returns {Generator<Buffer>}
 * @see https://docs.oracle.com/database/bdb181/html/api_reference/C/db_dump.html
 */
function * writeDump (walk, { format = 'bytevalue', mapSize }) {
  const encode = encoders[format]
  for (const { name, groups } of walk.maps()) {
    yield Buffer.from(header(name, format, mapSize))
    for (const group of groups) {
      if (group.large) yield * largeLines(group, encode)
      else yield Buffer.from(format === 'bytevalue' ? hexLines(group) : lines(group, encode), 'latin1')
    }
    yield Buffer.from('DATA=END\n')
  }
}

/** @param {string} name @param {string} format @param {number | undefined} mapSize */
function header (name, format, mapSize) {
  const room = mapSize === undefined ? '' : `mapsize=${mapSize}\n`
  return `VERSION=3\nformat=${format}\ndatabase=${encodeName(name)}\ntype=btree\n${room}HEADER=END\n`
}

/** @param {import('../map/snapshot-walk').Group} group @param {(bytes: Buffer) => string} encode */
function lines ({ lengths, bytes }, encode) {
  let [text, at] = ['', 0]
  for (const length of lengths) {
    text += ` ${encode(bytes.subarray(at, at + length))}\n`
    at += length
  }
  return text
}

/**
 * One call for all of the bytes costs much less than one for each key and value.
 *
 * @param {import('../map/snapshot-walk').Group} group
 */
function hexLines ({ lengths, bytes }) {
  const hex = bytes.toString('hex')
  let [text, at] = ['', 0]
  for (const length of lengths) {
    text += ` ${hex.slice(at, at + 2 * length)}\n`
    at += 2 * length
  }
  return text
}

/** @param {import('../map/snapshot-walk').Group} group @param {(bytes: Buffer) => string} encode */
function * largeLines ({ lengths, bytes }, encode) {
  const [keySize] = lengths
  yield Buffer.from(` ${encode(bytes.subarray(0, keySize))}\n `, 'latin1')
  for (let at = keySize; at < bytes.length; at += PIECE) yield Buffer.from(encode(bytes.subarray(at, at + PIECE)), 'latin1')
  yield Buffer.from('\n')
}

/** @param {import('../..').DumpOptions} options */
function checkDumpOptions ({ format = 'bytevalue', mapSize }) {
  if (!Object.hasOwn(encoders, format)) throw new TypeError("The format must be 'bytevalue' or 'print'")
  if (mapSize !== undefined && !(Number.isSafeInteger(mapSize) && mapSize > 0)) throw new TypeError('The mapSize must be a whole number of bytes')
}

module.exports = { checkDumpOptions, writeDump }
