'use strict'

const zlib = require('node:zlib')
const { partitionOf } = require('./partition')

/** The names of shards begin with it: no user can name a database so. */
const PREFIX = '_shards/'

/** One more than the highest CRC-32. */
const TOP = 0x100000000

/** Shards of one database at most. */
const MOST = 256

/** The characters of `00000000-1fffffff/`. */
const RANGE = 18

/**
 * The ranges of CRC-32 that shards have, as CouchDB's mem3 divides them: the last one takes what is left over.
 *
 * @param {number} q the number of shards
 * @returns {string[]} `00000000-1fffffff` …
 */
function rangesOf (q) {
  const size = Math.floor(TOP / q)
  return Array.from({ length: q }, (_, i) => `${hex(i * size)}-${hex(i === q - 1 ? TOP - 1 : (i + 1) * size - 1)}`)
}

/** @param {number} number */
function hex (number) { return number.toString(16).padStart(8, '0') }

/**
 * Returns the names of a database's shards, in the order of their ranges.
 *
 * @param {string} name
 * @param {number} q
 */
function shardNames (name, q) { return rangesOf(q).map(range => `${PREFIX}${range}/${name}`) }

/** Whether a name is that of a shard. @param {string} name */
function isShard (name) { return name.startsWith(PREFIX) }

/** Returns the database that a shard is of; other names are themselves. @param {string} name */
function publicName (name) { return isShard(name) ? name.slice(PREFIX.length + RANGE) : name }

/**
 * Returns which shard a document is in. Documents of a partition are in one; design documents are in none.
 *
 * @param {string} id
 * @param {{ q: number, partitioned?: boolean }} database
 */
function shardOf (id, { q, partitioned = false }) {
  const hashed = partitioned ? partitionOf(id) ?? id : id
  return Math.min(q - 1, Math.floor(zlib.crc32(hashed) / Math.floor(TOP / q)))
}

/**
 * Whether a shard is the one of a document.
 *
 * @param {string} id
 * @param {{ name: string, partitioned?: boolean }} shard
 */
function isInShard (id, { name, partitioned = false }) {
  const [low, high] = name.slice(PREFIX.length, PREFIX.length + RANGE - 1).split('-').map(text => parseInt(text, 16))
  const hash = zlib.crc32(partitioned ? partitionOf(id) ?? id : id)
  return hash >= low && hash <= high
}

module.exports = { MOST, isInShard, isShard, publicName, rangesOf, shardNames, shardOf }
