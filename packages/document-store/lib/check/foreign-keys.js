'use strict'

const { after } = require('../media/layout')

/**
 * @import { Range } from '../media/keyspace'
 * @import { Scan } from './scan'
 */

/**
 * Finds keys that belong to none of the stores: those between their ranges.
 *
 * @param {Scan} scan
 */
async function * checkForeignKeys (scan) {
  const { layout } = scan
  let range = layout.all()
  for (const store of layout.stores) {
    yield * foreign(scan, { ...range, lt: store })
    range = { ...range, gte: after(store) }
  }
  yield * foreign(scan, range)
}

/** @param {Scan} scan @param {Range} range */
async function * foreign (scan, range) {
  for await (const page of scan.keys(range)) {
    for (const key of page) yield `The key ${JSON.stringify(key)} belongs to no store`
  }
}

module.exports = { checkForeignKeys }
