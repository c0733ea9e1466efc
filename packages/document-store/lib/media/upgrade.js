'use strict'

const { createError } = require('@potoroo/errors')
const { put } = require('./keyspace')

/**
 * @import { Core } from '../store/core'
 * @import { Totals } from '../commit/totals'
 * @import { DatabaseRecord } from './meta'
 */

/** The version of the layout of keys and records. */
const LAYOUT_VERSION = 3

/**
 * version → what makes the next one of it: operations, which are written in one batch.
 *
 * @type {Record<number, (core: Core, totals: Totals, database: Record<string, any>) => Promise<void>>}
 */
const steps = {
  /** 2 counts the bodies beside the winners', and the purges, which 1 did not know. */
  async 1 (core, totals, database) {
    const { keyspace, layout } = core
    const keys = keyspace.keys(layout.range(layout.revisions))
    try {
      for (let page = await keys.nextv(1000); page.length > 0; page = await keys.nextv(1000)) totals.bodies += page.length
    } finally {
      await keys.close()
    }
    delete database.purgeSeq
  },
  /** 3 knows time and user of a document's last change, and earlier versions; documents get them when they change. */
  async 2 () {}
}

/**
 * Brings a database of an older layout up to date, in one commit: interrupted, it is still the old
 * one.
 *
 * @param {import('../store/core').Core} core its totals are those that are stored
 * @param {DatabaseRecord} database as stored
 * @returns {Promise<DatabaseRecord>} the database as it is now; throws where it is of a newer
 *   layout, or of none
 */
async function upgrade (core, database) {
  if (database.version === LAYOUT_VERSION) return database
  const upgraded = { ...database }
  while (Object.hasOwn(steps, upgraded.version)) {
    await steps[upgraded.version](core, core.totals, upgraded)
    upgraded.version++
  }
  if (upgraded.version !== LAYOUT_VERSION) throw unknownLayout(database.version)
  await core.keyspace.write([
    put(core.layout.meta('database'), JSON.stringify(upgraded)),
    put(core.layout.state, core.totals.encode())
  ])
  return upgraded
}

/** @param {any} version */
function unknownLayout (version) {
  if (!Number.isSafeInteger(version) || version < LAYOUT_VERSION) return damaged(`it says that its layout is ${JSON.stringify(version)}`)
  return createError('INTERNAL', {
    reason: `The database was written by a newer version of Potoroo (layout ${version}; this one reads layouts 1 to ${LAYOUT_VERSION}): use that version`
  })
}

/**
 * The error of a database that cannot be opened.
 *
 * @param {string} why
 * @param {unknown} [cause]
 */
function damaged (why, cause) {
  return createError('INTERNAL', { reason: `The database is damaged: ${why}. Restore it from a backup, or delete it`, cause })
}

module.exports = { LAYOUT_VERSION, damaged, upgrade }
