'use strict'

const { Coordinator } = require('./coordinator')
const { designIds, repairDesigns } = require('./design-copies')
const { formatVector, numberOf } = require('./sequence')

/** The part of a request that says who asks, and from where. @typedef {Pick<import('../dispatch/request').PotorooRequest, 'service' | 'headers' | 'socket' | 'user'>} Asker */

/** Returns the answer of `GET /{db}`. @param {Coordinator} coordinator */
async function infoOf (coordinator) {
  const { database } = coordinator
  const [infos, designs] = await Promise.all([coordinator.askAllJson({ path: '' }), designIds(coordinator)])
  const sum = (/** @type {(info: any) => number} */ pick) => infos.reduce((total, info) => total + pick(info), 0)
  return {
    ...infos[0],
    db_name: database.name,
    purge_seq: formatVector(database, infos.map(info => numberOf(info.purge_seq))),
    update_seq: formatVector(database, infos.map(info => numberOf(info.update_seq))),
    sizes: { file: sum(({ sizes }) => sizes.file), external: sum(({ sizes }) => sizes.external), active: sum(({ sizes }) => sizes.active) },
    doc_del_count: sum(({ doc_del_count: count }) => count),
    doc_count: sum(({ doc_count: count }) => count) - designs.length * (database.q - 1),
    compact_running: infos.some(({ compact_running: isRunning }) => isRunning),
    cluster: { q: database.q, n: 1, w: 1, r: 1 }
  }
}

/**
 * The same for a request that names other databases than the one of its path.
 *
 * @param {Asker} asker
 * @param {import('@potoroo/document-store').ShardedDatabase} database
 */
async function infoFor (asker, database) {
  // The dispatcher comes by here on its way to its routes.
  const { answerPassed } = require('../dispatch/dispatcher')
  const coordinator = new Coordinator(/** @type {any} */ (asker), database, answerPassed)
  await repairDesigns(coordinator)
  return infoOf(coordinator)
}

module.exports = { infoFor, infoOf }
