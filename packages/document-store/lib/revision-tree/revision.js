'use strict'

const crypto = require('node:crypto')
const { createError } = require('@potoroo/errors')
const { compareUtf8 } = require('../json/utf8-order')

// To ask the system for randomness costs more than to spell it out: it comes by the page.
const randomness = Buffer.alloc(4096)
let spent = randomness.length

const SAFE = /^[\w.~-]+$/

/**
 * The characters that a revision may be made of: it stands in ETags, in URLs and between the quotes of
 * JSON, so it has neither quotes nor what a header cannot hold.
 */
const PLAIN = /^[ !#-[\]-~\u00a0-\u00ff]*$/

/** UTF-16 units of a hash; those that CouchDB and PouchDB make have 32. */
const MAX_HASH = 512

/**
 * Takes a revision apart.
 *
 * @param {unknown} rev `N-hash`, N from 1; the hash may be empty, as in CouchDB
 * @returns {{ generation: number, hash: string }} throws INVALID_REV
 */
function parseRevision (rev) {
  if (typeof rev !== 'string') throw createError('INVALID_REV')
  const dash = rev.indexOf('-')
  const generation = parseGeneration(rev, dash)
  const hash = rev.slice(dash + 1)
  if (!isHash(hash)) throw createError('INVALID_REV')
  return { generation, hash }
}

/** @param {string} rev @param {number} dash */
function parseGeneration (rev, dash) {
  if (dash < 1 || dash > 15) throw createError('INVALID_REV')
  let generation = 0
  for (let i = 0; i < dash; i++) {
    const digit = rev.charCodeAt(i) - 48
    if (digit < 0 || digit > 9) throw createError('INVALID_REV')
    generation = generation * 10 + digit
  }
  if (generation === 0) throw createError('INVALID_REV')
  return generation
}

/** @param {string} hash */
function isHash (hash) {
  return typeof hash === 'string' && hash.length <= MAX_HASH && PLAIN.test(hash)
}

/**
 * Encodes a hash: stored ones hold no separators, see layout.js.
 *
 * @param {string} hash
 */
function encodeHash (hash) {
  if (SAFE.test(hash)) return hash
  return encodeURIComponent(hash).replace(/[!'()*]/g, (c) => '%' + c.charCodeAt(0).toString(16).toUpperCase())
}

/**
 * Decodes a hash or a whole revision.
 *
 * @param {string} text
 */
function decodeHash (text) {
  return text.includes('%') ? decodeURIComponent(text) : text
}

/** Encodes a whole revision. @param {string} rev */
function encodeRevision (rev) {
  if (SAFE.test(rev)) return rev
  const dash = rev.indexOf('-')
  return rev.slice(0, dash + 1) + encodeHash(rev.slice(dash + 1))
}

/**
 * Orders leaves as CouchDB does, the winner first: live before deleted, then the higher
 * generation, then the higher hash by bytes.
 *
 * @param {{ generation: number, hash: string, deleted: boolean }} a
 * @param {{ generation: number, hash: string, deleted: boolean }} b
 * @see https://docs.couchdb.org/en/stable/replication/conflicts.html
 */
function compareLeaves (a, b) {
  if (a.deleted !== b.deleted) return a.deleted ? 1 : -1
  if (a.generation !== b.generation) return b.generation - a.generation
  return compareUtf8(b.hash, a.hash)
}

/** 32 random hex characters: a hash, an id, an instance. */
function randomHex () {
  if (spent === randomness.length) {
    crypto.randomFillSync(randomness)
    spent = 0
  }
  spent += 16
  return randomness.toString('hex', spent - 16, spent)
}

module.exports = {
  parseRevision, isHash, encodeHash, decodeHash, encodeRevision, compareLeaves, randomHex
}
