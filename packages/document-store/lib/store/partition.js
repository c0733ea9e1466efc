'use strict'

const { createError } = require('@potoroo/errors')

/**
 * Partitions: in a partitioned database every document's id is `partition:rest`, and the documents of
 * one partition are a range of ids. Design documents and local ones belong to none.
 *
 * @see https://docs.couchdb.org/en/stable/partitioned-dbs/index.html
 */

/**
 * @param {string} id
 * @returns {string | null} null where it has none
 */
function partitionOf (id) {
  if (id.charCodeAt(0) === 95) return null
  const colon = id.indexOf(':')
  return colon === -1 ? null : id.slice(0, colon)
}

/**
 * @param {any} name
 * @returns {string} the same
 * @throws illegal_partition unless a partition may have this name
 */
function validatePartition (name) {
  const fault = faultOf(name)
  if (fault !== null) throw createError('ILLEGAL_PARTITION', { reason: `Partition must ${fault}` })
  return name
}

/** @param {unknown} name */
function faultOf (name) {
  if (typeof name !== 'string') return 'be a string'
  if (name === '') return 'not be empty'
  if (name.startsWith('_')) return 'not start with an underscore'
  return name.includes(':') ? 'not contain a colon' : null
}

/**
 * Throws unless the id, which is good in any database, may be one of a document of a partitioned one.
 *
 * @param {string} id
 */
function validatePartitionedId (id) {
  if (id.startsWith('_design/')) return
  const colon = id.indexOf(':')
  if (colon === -1) throw unpartitioned()
  validatePartition(id.slice(0, colon))
  if (colon === id.length - 1) throw createError('ILLEGAL_DOCID', { reason: 'Document id must not be empty' })
  if (id.charCodeAt(colon + 1) === 95) throw createError('ILLEGAL_DOCID')
}

/**
 * Throws where a document without a partition is asked for.
 *
 * @param {string} id
 */
function requirePartition (id) {
  if (id.charCodeAt(0) !== 95 && !id.includes(':')) throw unpartitioned()
}

function unpartitioned () { return createError('ILLEGAL_DOCID', { reason: 'Doc id must be of form partition:id' }) }

/**
 * Returns what the ids of a partition begin with, and what the next id after all of them is: `:` and `;` are
 * neighbours.
 *
 * @param {string} name
 */
function partitionRange (name) { return { first: `${name}:`, end: `${name};` } }

module.exports = { partitionOf, partitionRange, requirePartition, validatePartition, validatePartitionedId }
