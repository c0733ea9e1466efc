'use strict'

const { createDecipheriv, createSecretKey } = require('node:crypto')
const { ByteReader } = require('../base/byte-reader')
const { createError } = require('../base/codes')
const { keyOf, nonceOf, ALGORITHM, HEADER_SIZE, LAST, LENGTH_SIZE, MAGIC, MOST, TAG_SIZE, VERSION } = require('./encrypt')
const { damaged, PIECE } = require('./format')
const { checkKey } = require('../pool/pool-options')

/**
 * The backup that a stream has, whether it is encrypted or not. One that is not may be restored
 * into a pool that will be.
 *
 * @param {ByteReader} reader
 * @param {Uint8Array | undefined} key
 * @returns {Promise<ByteReader>}
 * @throws PMEMOBJ_KEY_NEEDED, PMEMOBJ_WRONG_KEY, PMEMOBJ_BACKUP_VERSION, PMEMOBJ_BACKUP_DAMAGED
 */
async function decrypted (reader, key) {
  const magic = await reader.peek(MAGIC.length)
  if (!magic.equals(MAGIC)) return reader
  if (key === undefined) throw createError('PMEMOBJ_KEY_NEEDED', 'The backup is encrypted: a key is needed')
  return new ByteReader(chunksOf(reader, createSecretKey(key)))
}

/**
 * The same of a backup of whatever is in it; `encrypted` says which it was.
 *
 * @param {unknown} source stream of bytes
 * @param {Uint8Array} [key]
 * @returns {Promise<{ encrypted: boolean, bytes: AsyncGenerator<Buffer, void> }>}
 */
async function decryptBackup (source, key) {
  const reader = new ByteReader(source)
  const plain = await decrypted(reader, checkKey(key))
  return { encrypted: plain !== reader, bytes: bytesOf(plain) }
}

/** @param {ByteReader} reader */
async function * bytesOf (reader) {
  try {
    for (let bytes; (bytes = await reader.read(PIECE)).length > 0;) yield bytes
  } finally {
    reader.close()
  }
}

/** @param {ByteReader} reader @param {import('node:crypto').KeyObject} key */
async function * chunksOf (reader, key) {
  const header = await read(reader, HEADER_SIZE)
  const version = header.readUInt32LE(8)
  if (version !== VERSION) throw createError('PMEMOBJ_BACKUP_VERSION', `The backup is encrypted in version ${version} of the format; this release reads version ${VERSION}`)
  const own = keyOf(key, header)
  for (let count = 0, last = false; !last; count++) {
    const length = await read(reader, LENGTH_SIZE)
    const size = length.readUInt32LE() & ~LAST
    last = length.readUInt32LE() >= LAST
    if (size > MOST) throw damaged(`a chunk claims to have ${size} bytes`)
    const bytes = open(own, count, length, await read(reader, size + TAG_SIZE))
    if (bytes.length > 0) yield bytes
  }
  if ((await reader.read(1)).length !== 0) throw damaged('something follows its end')
}

/** @param {Buffer} key @param {number} count @param {Buffer} length @param {Buffer} sealed */
function open (key, count, length, sealed) {
  const decipher = createDecipheriv(ALGORITHM, key, nonceOf(count), { authTagLength: TAG_SIZE })
  decipher.setAAD(length)
  decipher.setAuthTag(sealed.subarray(sealed.length - TAG_SIZE))
  const bytes = decipher.update(sealed.subarray(0, sealed.length - TAG_SIZE))
  try {
    decipher.final()
  } catch {
    // With another key, nothing is right from the first chunk on.
    throw count === 0
      ? createError('PMEMOBJ_WRONG_KEY', 'The backup is encrypted with another key, or its beginning is damaged')
      : damaged('a chunk is not what was encrypted there')
  }
  return bytes
}

/** @param {ByteReader} reader @param {number} size */
async function read (reader, size) {
  const bytes = await reader.read(size)
  if (bytes.length < size) throw damaged(`it ends too early, after ${reader.count} bytes`)
  return bytes
}

module.exports = { decryptBackup, decrypted }
