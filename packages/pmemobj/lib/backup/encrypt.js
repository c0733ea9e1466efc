'use strict'

// A backup that is encrypted: docs/backup.md describes it. The backup itself is what stands in its
// chunks, one after the other.
//
//   header, 48 bytes            chunk
//    0   8  magic                0  4  length of the bytes; the highest bit: it is the last one
//    8   4  version              4     the bytes, encrypted
//   12   4  0                       16  tag
//   16  32  salt

const { createCipheriv, createSecretKey, hkdfSync, randomBytes } = require('node:crypto')
const { checkKey } = require('../pool/pool-options')

const MAGIC = Buffer.from('PotSeald', 'latin1')
const VERSION = 1
const HEADER_SIZE = 48
const SALT_AT = 16
const LENGTH_SIZE = 4
const TAG_SIZE = 16
const LAST = 0x80000000
// The bytes in a chunk.
const MOST = 2 ** 20
const ALGORITHM = 'aes-256-gcm'

/**
 * The key of one backup. Its header goes into it, so that no two have the same, and chunks may be
 * counted from 0 in each.
 *
 * @param {import('node:crypto').KeyObject} key
 * @param {Buffer} header
 */
function keyOf (key, header) {
  return Buffer.from(hkdfSync('sha256', key, header.subarray(SALT_AT), Buffer.concat([header.subarray(0, SALT_AT), Buffer.from('potoroo backup')]), 32))
}

/** @param {number} count of the chunk, from 0: no chunk can be left out, or come at another place */
function nonceOf (count) {
  const nonce = Buffer.alloc(12)
  nonce.writeBigUInt64LE(BigInt(count))
  return nonce
}

function newHeader () {
  const header = Buffer.alloc(HEADER_SIZE)
  MAGIC.copy(header)
  header.writeUInt32LE(VERSION, 8)
  randomBytes(HEADER_SIZE - SALT_AT).copy(header, SALT_AT)
  return header
}

/**
 * @param {Iterable<Buffer>} chunks a backup
 * @param {import('node:crypto').KeyObject} key 32 bytes
 * @returns {Generator<Buffer>}
 */
function * encrypt (chunks, key) {
  const header = newHeader()
  const own = keyOf(key, header)
  yield header
  let count = 0
  for (const chunk of chunks) {
    for (const piece of piecesOf(chunk)) yield seal(piece, own, count++, 0)
  }
  yield seal(Buffer.alloc(0), own, count, LAST)
}

/**
 * The same of any stream of bytes.
 *
 * @param {AsyncIterable<Uint8Array> | Iterable<Uint8Array>} source
 * @param {Uint8Array} key 32 bytes
 * @returns {AsyncGenerator<Buffer, void>}
 */
async function * encryptBackup (source, key) {
  const header = newHeader()
  const own = keyOf(createSecretKey(checkKey(key)), header)
  yield header
  let count = 0
  for await (const chunk of source) {
    for (const piece of piecesOf(chunk)) yield seal(piece, own, count++, 0)
  }
  yield seal(Buffer.alloc(0), own, count, LAST)
}

/** @param {Uint8Array} chunk */
function * piecesOf (chunk) {
  for (let at = 0; at < chunk.length; at += MOST) yield chunk.subarray(at, at + MOST)
}

/** @param {Uint8Array} chunk @param {Buffer} key @param {number} count @param {number} flag */
function seal (chunk, key, count, flag) {
  const sealed = Buffer.allocUnsafeSlow(LENGTH_SIZE + chunk.length + TAG_SIZE)
  sealed.writeUInt32LE((chunk.length | flag) >>> 0)
  const cipher = createCipheriv(ALGORITHM, key, nonceOf(count), { authTagLength: TAG_SIZE })
  cipher.setAAD(sealed.subarray(0, LENGTH_SIZE))
  sealed.set(cipher.update(chunk), LENGTH_SIZE)
  cipher.final()
  sealed.set(cipher.getAuthTag(), LENGTH_SIZE + chunk.length)
  return sealed
}

module.exports = { encrypt, encryptBackup, keyOf, nonceOf, ALGORITHM, HEADER_SIZE, LAST, LENGTH_SIZE, MAGIC, MOST, TAG_SIZE, VERSION }
