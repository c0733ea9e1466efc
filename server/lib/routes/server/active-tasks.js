'use strict'

const { sendJson } = require('../../http/response')

/** @typedef {import('../../dispatch/request').PotorooRequest} PotorooRequest */
/** @typedef {import('../../dispatch/request').PotorooResponse} PotorooResponse */

/**
 * `GET /_active_tasks` → what goes on: replications, compactions and updates of indexes
 * @param {PotorooRequest} req
 * @param {PotorooResponse} res
 * @see https://docs.couchdb.org/en/stable/api/server/common.html#active-tasks
 */
async function activeTasks (req, res) {
  const { cluster } = req.service
  const own = await tasksOf(req.service)
  if (cluster === null) return sendJson(res, 200, own)
  const named = own.map(task => ({ ...task, node: cluster.name }))
  // Another server asks for this one's alone.
  sendJson(res, 200, req.internal ? named : [...named, ...(await cluster.gather('/_active_tasks')).flat()])
}

/** @param {import('../../service/request-service').RequestService} service */
async function tasksOf ({ replicator, databases, views, scrub }) {
  const opened = await databases.opened()
  const compacting = opened.filter(database => database.compaction !== null)
  return [...replicator.tasks(), ...compacting.map(compactionTask), ...views.tasks(opened).map(indexerTask), ...scrubTask(scrub.status())]
}

/** @param {any} task */
function indexerTask ({ database, design, ...update }) {
  const pid = `indexer of ${database} ${design}`
  return { type: 'indexer', database, design_document: design, ...progressOf(update, 0), pid, indexer_pid: pid }
}

/** @param {{ running: boolean, [more: string]: any }} pass */
function scrubTask ({ running, ...pass }) {
  return running ? [{ type: 'scrub', ...progressOf(pass, 0), pid: 'scrub of the storage' }] : []
}

/** @param {{ name: string, compaction: any }} database */
function compactionTask ({ name, compaction }) {
  return { type: 'database_compaction', database: name, ...progressOf(compaction, 100), pid: `compaction of ${name}` }
}

/** @param {any} work @param {number} ofNothing how many hundredths of nothing are done */
function progressOf ({ done, total, startedAt, updatedAt }, ofNothing) {
  return {
    changes_done: done,
    total_changes: total,
    progress: total === 0 ? ofNothing : Math.floor(100 * done / total),
    started_on: Math.floor(startedAt / 1000),
    updated_on: Math.floor(updatedAt / 1000),
    node: 'nonode@nohost'
  }
}

/** @type {import('../../dispatch/route-table').Route[]} */
module.exports = [
  { method: 'GET', path: '/_active_tasks', who: 'admin', handler: activeTasks }
]
