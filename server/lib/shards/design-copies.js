'use strict'

const { createError } = require('@potoroo/errors')
const { SELF } = require('./ask')
const { orFailure } = require('./failure')
const { relay } = require('./relay')

/** @typedef {import('./coordinator').Coordinator} Coordinator */
/** @typedef {import('./coordinator').Question} Question */

/**
 * Design documents are needed in every shard: functions that check writes, views, filters. The one in the
 * shard of its id is the document; the others hold copies with the same revisions, which nobody sees. They
 * are written before the write is answered. Copies that a crash left different are made equal when the database
 * is first asked for something. The copies of one that was deleted are purged, so that none is counted.
 */

/** Databases whose copies are equal, as far as this server knows. @type {WeakMap<object, true | Promise<void>>} */
const equal = new WeakMap()

/** The last write of each database's design documents: they take turns. @type {WeakMap<object, Promise<any>>} */
const turns = new WeakMap()

/** @param {any} id */
function isDesign (id) { return typeof id === 'string' && id.startsWith('_design/') }

/** The path of a document in a shard. @param {string} id */
function pathOf (id) {
  const special = /^_(?:design|local)\//.exec(id)?.[0] ?? ''
  return `/${special}${encodeURIComponent(id.slice(special.length))}`
}

/**
 * Writes a design document, and its copies; then answers.
 *
 * @param {Coordinator} coordinator
 * @param {string} id
 * @param {import('../dispatch/request').PotorooResponse} res
 * @param {Question} question what to ask the shard of the document
 */
async function writeDesign (coordinator, id, res, question) {
  const answer = await changeDesigns(coordinator, [id], async () => orFailure(await coordinator.ask(coordinator.shardOf(id), question)))
  await relay(res, answer)
}

/**
 * Does something that changes design documents, and copies them.
 *
 * @template T
 * @param {Coordinator} coordinator
 * @param {string[]} ids
 * @param {() => Promise<T>} change
 * @returns {Promise<T>} once the copies are written
 */
function changeDesigns (coordinator, ids, change) {
  const { database } = coordinator
  const result = (turns.get(database) ?? Promise.resolve()).then(async () => {
    // Until the copies are written they may differ.
    equal.delete(database)
    const changed = await change()
    await copyDesigns(coordinator, ids)
    equal.set(database, true)
    return changed
  })
  turns.set(database, result.catch(() => {}))
  return result
}

/** Makes the copies equal where nobody knows that they are. @param {Coordinator} coordinator @returns {null | Promise<void>} */
function repairDesigns (coordinator) {
  const { database } = coordinator
  const known = equal.get(database)
  if (known === true) return null
  if (known !== undefined) return known
  const repair = (turns.get(database) ?? Promise.resolve()).then(() => equal.get(database) === true ? undefined : compareDesigns(coordinator)).then(
    () => { equal.set(database, true) },
    error => {
      equal.delete(database)
      throw error
    }
  )
  equal.set(database, repair)
  return repair
}

/** @param {Coordinator} coordinator */
async function compareDesigns (coordinator) {
  const lists = await coordinator.askAllJson({ path: '/_design_docs', user: SELF })
  const revisions = lists.map(({ rows }) => new Map(rows.map((/** @type {any} */ { id, value }) => [id, value.rev])))
  const ids = new Set(revisions.flatMap(map => [...map.keys()]))
  await copyDesigns(coordinator, [...ids].filter(id => revisions.some(map => map.get(id) !== revisions[coordinator.shardOf(id)].get(id))))
}

/** The ids of design documents, which each shard has. @param {Coordinator} coordinator @returns {Promise<string[]>} */
async function designIds (coordinator) {
  const { rows } = await (await coordinator.askOrFail(0, { path: '/_design_docs', user: SELF })).json()
  return rows.map((/** @type {{ id: string }} */ { id }) => id)
}

/** @param {Coordinator} coordinator @param {string[]} ids */
async function copyDesigns (coordinator, ids) {
  for (const id of new Set(ids)) {
    const home = coordinator.shardOf(id)
    const leaves = await leavesOf(coordinator, home, id)
    const others = coordinator.shards.map((_, index) => index).filter(index => index !== home)
    if (leaves.some(({ _deleted: deleted }) => deleted !== true)) await Promise.all(others.map(index => writeCopy(coordinator, index, leaves)))
    else await Promise.all(others.map(index => purgeCopy(coordinator, index, id)))
  }
}

/** All leaf revisions with all that is in them. @param {Coordinator} coordinator @param {number} index @param {string} id @returns {Promise<any[]>} */
async function leavesOf (coordinator, index, id) {
  const answer = await coordinator.ask(index, { path: `${pathOf(id)}?open_revs=all&revs=true&attachments=true`, headers: { accept: 'application/json' }, user: SELF })
  if (answer.status === 404) return []
  const found = await (await orFailure(answer)).json()
  return found.filter((/** @type {any} */ { ok }) => ok !== undefined).map((/** @type {any} */ { ok }) => ok)
}

/** @param {Coordinator} coordinator @param {number} index @param {any[]} leaves */
async function writeCopy (coordinator, index, leaves) {
  const body = JSON.stringify({ docs: leaves, new_edits: false })
  const refused = await (await coordinator.askOrFail(index, { method: 'POST', path: '/_bulk_docs', body, user: SELF })).json()
  if (refused.length > 0) throw createError('INTERNAL', { reason: `A shard did not take a design document: ${refused[0].reason}` })
}

/** @param {Coordinator} coordinator @param {number} index @param {string} id */
async function purgeCopy (coordinator, index, id) {
  const leaves = await leavesOf(coordinator, index, id)
  if (leaves.length === 0) return
  const body = JSON.stringify({ [id]: leaves.map(({ _rev: rev }) => rev) })
  await (await coordinator.askOrFail(index, { method: 'POST', path: '/_purge', body, user: SELF })).bytes()
}

module.exports = { changeDesigns, designIds, isDesign, pathOf, repairDesigns, writeDesign }
