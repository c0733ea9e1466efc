'use strict'

const { partitionOf, partitionRange } = require('../store/partition')
const { PartitionTotals } = require('../commit/partition-totals')
const { DocumentRecord } = require('../media/record')

/**
 * @import { Scan } from './scan'
 */

/**
 * Checks the counts of partitions against their documents. Other databases have no partitions.
 *
 * @param {Scan} scan
 */
async function * checkPartitions (scan) {
  if (scan.damage.found) return
  const { layout } = scan
  const text = await scan.keyspace.get(layout.meta('database'), scan.snapshot)
  const partitioned = text !== undefined && /"partitioned":true/.test(text)
  for await (const page of scan.entries(layout.range(layout.partitions))) {
    for (const [key, stored] of page) {
      const name = key.slice(layout.partitions.length)
      if (!partitioned) yield `The database is not partitioned, and counts a partition ${JSON.stringify(name)}`
      else if (stored !== await countOf(scan, name)) yield `The partition ${JSON.stringify(name)} counts ${stored}, and has other documents`
    }
  }
  if (partitioned) yield * checkUncounted(scan)
}

/** @param {Scan} scan @param {string} name */
async function countOf (scan, name) {
  const { layout } = scan
  const { first, end } = partitionRange(name)
  const totals = new PartitionTotals()
  for await (const page of scan.entries({ gte: layout.document(first), lt: layout.document(end) })) {
    for (const [, text] of page) totals.count(documentOf(text))
  }
  return totals.encode()
}

/** @param {string} text */
function documentOf (text) {
  const { deleted, payload } = new DocumentRecord(text)
  return { deleted, size: Buffer.byteLength(text), payload }
}

/**
 * Finds documents whose partition is not counted at all.
 *
 * @param {Scan} scan
 */
async function * checkUncounted (scan) {
  const { layout } = scan
  let last
  for await (const page of scan.keys(layout.range(layout.documents))) {
    for (const key of page) {
      const name = partitionOf(layout.idOf(key))
      if (name === last || name === null) continue
      last = name
      const [counted] = await scan.getMany([layout.partition(name)])
      if (counted === undefined) yield `The partition ${JSON.stringify(name)} is not counted`
    }
  }
}

module.exports = { checkPartitions }
