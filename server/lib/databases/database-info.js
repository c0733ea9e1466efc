'use strict'

const { publicName } = require('@potoroo/document-store')
const { formatSequence } = require('./sequence')

/** @typedef {import('./database-view').AnyDatabase} AnyDatabase */

/**
 * Returns the answer of `GET /{db}`.
 *
 * @param {AnyDatabase} database
 * @see https://docs.couchdb.org/en/stable/api/database/common.html#get--db
 */
async function databaseInfo (database) {
  const info = await database.info()
  return {
    instance_start_time: String(Math.floor(info.createdAt / 1000)),
    db_name: publicName(database.name),
    purge_seq: formatSequence(database, info.purgeSeq),
    update_seq: formatSequence(database, info.updateSeq),
    sizes: { file: info.sizes.file, external: info.sizes.external, active: info.sizes.active },
    props: { ...(database.partitioned && { partitioned: true }), ...(database.byDocument && { access: true }) },
    doc_del_count: info.docDelCount,
    doc_count: info.docCount,
    disk_format_version: 8,
    compact_running: info.compactRunning,
    cluster: { q: 1, n: 1, w: 1, r: 1 }
  }
}

module.exports = { databaseInfo }
