'use strict'

const { EVERY } = require('./group')
const { seenBy } = require('../index/principal-snapshot')

/**
 * @typedef {import('@potoroo/document-store').MemberStore} MemberStore
 * @typedef {import('../index/view-index').ViewIndex} ViewIndex
 * @typedef {import('./group').Group} Group
 * @typedef {import('./named-view').View} View
 * @typedef {import('./view-options').Plan} ViewPlan
 */

/**
 * Takes the snapshot that a query reads: of all rows, or of those of a partition.
 *
 * @param {ViewIndex} index
 * @param {Pick<ViewPlan, 'update' | 'partition'>} plan
 */
async function snapshotFor (index, { update, partition }) {
  const snapshot = await index.snapshot(update === true)
  return partition === '' ? snapshot : snapshot.within(partition)
}

/**
 * The same of an index with rows by principal: what a reader may see, or all.
 *
 * @param {Group} group
 * @param {View} view
 * @param {Pick<ViewPlan, 'update' | 'partition'>} plan
 * @param {MemberStore | undefined} reader
 */
async function snapshotByPrincipal ({ index }, { number }, plan, reader) {
  const snapshot = await snapshotFor(index, plan)
  return reader === undefined ? snapshot.within(EVERY) : seenBy(snapshot, number, reader.principals)
}

module.exports = { snapshotByPrincipal, snapshotFor }
