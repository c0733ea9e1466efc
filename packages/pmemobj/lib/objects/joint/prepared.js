'use strict'

const { createError } = require('../../base/codes')
const { damaged } = require('../record/reader')

/** The format of the record, in its head. */
const FORMAT = 1
/** Bytes of the length of the head. */
const LENGTH = 4
/** Bytes of an operation's head, see `record/writer.js`. */
const HEAD = 12

/**
 * A pool's part of a transaction over several pools, before it is brought in.
 *
 * @typedef {object} Prepared
 * @property {Buffer} transaction its id
 * @property {{ id: Buffer, path: string, relative: string }} coordinator the pool that knows whether it is to be brought in: its id, and
 *   where it was, also as seen from the folder that this one is in
 * @property {{ id: Buffer, path: string }} [own] of the pool of the part: its id, and where it was. Undefined in notes of earlier releases
 * @property {Record<string, string>} maps names, by the numbers that the operations have for them
 * @property {Buffer} operations as the addon takes them, see `record/writer.js`
 */

/** @param {Prepared} prepared */
function encodePrepared ({ transaction, coordinator, own, maps, operations }) {
  /** @template {{ id: Buffer }} T @param {T} pool */
  const inHex = pool => ({ ...pool, id: pool.id.toString('hex') })
  const hex = { transaction: transaction.toString('hex'), coordinator: inHex(coordinator), own: own && inHex(own) }
  const head = Buffer.from(JSON.stringify({ format: FORMAT, ...hex, maps }))
  const length = Buffer.alloc(LENGTH)
  length.writeUInt32LE(head.length)
  return Buffer.concat([length, head, operations])
}

/** @param {Buffer} bytes @returns {Prepared} */
function decodePrepared (bytes) {
  const end = LENGTH + bytes.readUInt32LE(0)
  const { format, transaction, coordinator, own, maps } = JSON.parse(bytes.toString('utf8', LENGTH, end))
  if (format !== FORMAT) throw createError('PMEMOBJ_LAYOUT_VERSION', `A transaction over several pools is noted in format ${format}, not ${FORMAT}`)
  return {
    transaction: Buffer.from(transaction, 'hex'),
    coordinator: { ...coordinator, id: Buffer.from(coordinator.id, 'hex') },
    own: own && { ...own, id: Buffer.from(own.id, 'hex') },
    maps,
    operations: bytes.subarray(end)
  }
}

/**
 * Calls with where each operation has the number of its map.
 *
 * @param {Buffer} operations
 * @param {(at: number) => void} visit
 */
function eachMap (operations, visit) {
  let at = 0
  while (at < operations.length) {
    if (operations.length - at < HEAD) throw damaged()
    visit(at + 4)
    at += HEAD + operations.readUInt16LE(at + 2) + operations.readUInt32LE(at + 8)
  }
  if (at !== operations.length) throw damaged()
}

/**
 * The operations, with other numbers for their maps.
 *
 * @param {Prepared} prepared
 * @param {(name: string) => number} numberOf
 */
function renumbered ({ operations, maps }, numberOf) {
  const numbers = new Map(Object.entries(maps).map(([number, name]) => [Number(number), numberOf(name)]))
  const copy = Buffer.from(operations)
  eachMap(copy, at => {
    const number = numbers.get(copy.readUInt32LE(at))
    if (number === undefined) throw damaged()
    copy.writeUInt32LE(number, at)
  })
  return copy
}

module.exports = { decodePrepared, encodePrepared, renumbered }
